// The page: controls, camera and picture. The fluid runs in worker.js.
import { decodeLink, encodeLink, withoutStop } from './link.js';
import { presets, settingsOf, TANK } from './presets.js';
import { Camera, Renderer } from './render.js';
import { BALL_RADIUS } from './simulation.js';

const element = (id) => document.getElementById(id);
const canvas = element('view');
const camera = new Camera();
/** Null if the browser cannot draw the picture. */
const renderer = createRenderer();

/** Colours of slow and fast smoke, for both tags, and the other visual parameters of a preset. */
const LOOKS = {
    campfire: { dyes: [[0.50, 0.46, 0.46], [1.0, 0.50, 0.14], [0.16, 0.36, 0.80], [0.50, 0.80, 1.0]], topSpeed: 2.2, splat: 0.050, opacity: 0.14 },
    ring: { dyes: [[0.24, 0.42, 0.74], [0.72, 0.90, 1.0], [0.86, 0.32, 0.10], [1.0, 0.76, 0.40]], topSpeed: 3.2, splat: 0.085, opacity: 0.14 },
    leapfrog: { dyes: [[0.92, 0.26, 0.12], [1.0, 0.66, 0.36], [0.16, 0.40, 0.95], [0.48, 0.84, 1.0]], topSpeed: 2.2, splat: 0.070, opacity: 0.16 },
    ink_drop: { dyes: [[0.24, 0.34, 0.92], [0.62, 0.88, 1.0], [1, 1, 1], [1, 1, 1]], topSpeed: 3.2, splat: 0.075, opacity: 0.14 },
    two_drops: { dyes: [[0.12, 0.46, 0.80], [0.46, 0.90, 1.0], [0.84, 0.20, 0.24], [1.0, 0.60, 0.44]], topSpeed: 2.6, splat: 0.095, opacity: 0.15 },
    ball: { dyes: [[0.52, 0.60, 0.76], [1.0, 0.96, 0.86], [1, 1, 1], [1, 1, 1]], topSpeed: 1.2, splat: 0.062, opacity: 0.12 },
    floor: { dyes: [[0.20, 0.50, 0.90], [0.60, 0.92, 1.0], [0.74, 0.50, 0.24], [1.0, 0.84, 0.50]], topSpeed: 1.6, splat: 0.052, opacity: 0.15 },
    jet: { dyes: [[0.40, 0.30, 0.62], [0.86, 0.74, 1.0], [1, 1, 1], [1, 1, 1]], topSpeed: 2.0, splat: 0.055, opacity: 0.13 },
    tank: { dyes: [[0.10, 0.36, 0.80], [0.40, 0.80, 1.0], [0.90, 0.48, 0.16], [1.0, 0.82, 0.50]], topSpeed: 1.4, splat: 0.055, opacity: 0.22 },
};

/**
 * `settings`: the initial settings of the scene. `live`: present gravity and time step; `touched`: those that
 * the user has changed, not yet reflected in frames in flight.
 */
const state = { settings: null, live: {}, touched: new Set(), frame: null, held: null, isPaused: false, run: 0, native: null, lastDraw: 0 };
const worker = renderer && new Worker(new URL('worker.js', import.meta.url), { type: 'module' });

function createRenderer() {
    try {
        return new Renderer(canvas);
    } catch (error) {
        showTrouble(error.message, '');
        return null;
    }
}

// Messages from the worker.

const heard = {
    ready({ build }) {
        element('stats').title = build;
    },
    frame(frame) {
        if (frame.run !== state.run) return;
        if (state.frame) recycle(state.frame);
        state.frame = frame;
        renderer.setPoints(frame.points, frame.count);
        followLive(frame.live);
        showStats(frame);
        showBadge(frame.hashes);
    },
    paused({ isPaused }) {
        state.isPaused = isPaused;
        element('pause').textContent = isPaused ? 'Go on' : 'Pause';
    },
    log({ settings, log }) {
        const address = showAddress(encodeLink(settings, log));
        navigator.clipboard?.writeText(address).catch(() => {});
        element('copy').textContent = `Copied: ${address.length} characters`;
        setTimeout(() => { element('copy').textContent = 'Copy link'; }, 2000);
    },
    error({ text, code }) {
        const stopped = { TRAP: `The library has stopped. ${text}`, LOAD: `${text}. studio/build makes studio/out/vorton.wasm.` };
        showTrouble(stopped[code] ?? text, 'Start again');
    },
};

function listenToWorker() {
    worker.onmessage = ({ data }) => heard[data.type](data);
    worker.onerror = ({ message }) => heard.error({ text: message || 'The worker could not be started: serve the page over HTTP.' });
}

/** Shows one sentence over the picture. `button`: closes it, and restarts unless it is 'Close'; '': none. */
function showTrouble(text, button) {
    element('trouble').hidden = false;
    element('trouble').querySelector('p').textContent = text;
    Object.assign(element('again'), { textContent: button, hidden: !button });
}

/** Sets the fragment after the #, without scrolling. Returns the whole address. */
function showAddress(piece) {
    const address = new URL(location.href);
    address.hash = piece;
    history.replaceState(null, '', address);
    return address.href;
}

function recycle({ points }) {
    worker.postMessage({ type: 'recycle', points }, [points.buffer]);
}

// Numbers.

const UNITS = [
    ['Step', ({ step }) => step],
    ['Time', ({ time }) => `${time.toFixed(2)} s`],
    ['A step takes', ({ milliseconds }) => `${milliseconds.toFixed(1)} ms`],
    ['Vortons', ({ vortons }) => vortons.toLocaleString('en')],
    ['Tracers', (_, frame) => frame.count.toLocaleString('en')],
    ['Mesh nodes', ({ mesh_nodes }) => (mesh_nodes ? mesh_nodes.toLocaleString('en') : 'summed directly')],
    ['Energy', ({ energy }) => `${energy.toPrecision(4)} m⁵/s²`],
    ['Memory', ({ bytes }) => `${(bytes / 1048576).toFixed(0)} MiB`],
    ['Hash', ({ hash }) => hash],
];

function showStats(frame) {
    const numbers = element('numbers');
    if (!numbers.children.length) {
        numbers.append(...UNITS.flatMap(([name]) => [Object.assign(document.createElement('dt'), { textContent: name }), document.createElement('dd')]));
    }
    UNITS.forEach(([, text], i) => { numbers.children[2 * i + 1].textContent = text(frame.stats, frame); });
}

/** Shows whether the hashes equal those of a native build in native.json. */
function showBadge(hashes) {
    if (!hashes || !state.native) return setBadge('waiting', 'compares at step 20 …', '');
    const { every, presets: known, build } = state.native;
    const native = known[state.settings.preset]?.[hashes.step / every - 1];
    if (!hashes.isAsGiven) return setBadge('waiting', 'a scene of your own', 'Only the presets as they are have hashes of a native build to compare with.');
    if (!native) return state.verdict && setBadge(...state.verdict);
    const isSame = native === hashes.text;
    const text = isSame ? 'same bits as native' : 'other bits than native';
    state.verdict = [isSame ? 'same' : 'different', text, `Step ${hashes.step}: ${hashes.text}; ${build}: ${native}`];
    setBadge(...state.verdict);
}

function setBadge(kind, text, title) {
    Object.assign(element('badge'), { className: kind, textContent: text, title });
}

// Settings.

/** Controls: display of a setting, and conversion between the slider's number and the setting. */
const SLIDERS = {
    core_radius: { show: (value) => `${value.toFixed(3)} m`, isLive: false },
    gravity: { show: (value) => `${value.toFixed(1)} m/s²`, isLive: true },
    dt: { show: (value) => `1/${Math.round(1 / value)} s`, isLive: true, read: (number) => 1 / number, write: (dt) => 1 / dt },
    tracers: { show: (value) => value.toLocaleString('en'), isLive: false },
    seed: { show: String, isLive: false },
};

function showSlider(name, value) {
    const { show, write = (x) => x } = SLIDERS[name];
    element(name).value = write(value);
    document.querySelector(`output[for=${name}]`).textContent = show(value);
}

function showSettings() {
    const { settings } = state;
    const { core_radius } = presets[settings.preset].settings;
    Object.assign(element('core_radius'), { min: 0.75 * core_radius, max: 1.75 * core_radius, step: core_radius / 100 });
    for (const name of Object.keys(SLIDERS)) showSlider(name, settings[name]);
    Object.assign(element('ball'), { checked: settings.ball !== 0, disabled: !presets[settings.preset].ball });
    element('text').textContent = presets[settings.preset].text;
    for (const button of element('presets').children) button.setAttribute('aria-pressed', button.dataset.preset === settings.preset);
}

/** Starts the scene with the user's settings, and shows them in the address. */
function startAnew(settings) {
    showAddress(encodeLink(settings, []));
    start(settings, [], 0);
}

/** Restarts the scene with these changes, and with the present gravity and time step. */
const restart = (changes = {}) => startAnew({ ...state.settings, ...state.live, ...changes });

/** Shows the gravity and time step changed by a link's inputs. */
function followLive(live) {
    for (const [name, value] of Object.entries(live)) {
        if (state.touched.has(name) || state.live[name] === value) continue;
        state.live[name] = value;
        showSlider(name, value);
    }
}

function start(settings, log, stop) {
    const isOther = state.settings?.preset !== settings.preset;
    const { gravity, dt } = settings;
    Object.assign(state, { settings, live: { gravity, dt }, touched: new Set(), verdict: null, held: null, frame: null, run: state.run + 1 });
    element('trouble').hidden = true;
    if (isOther) aimCamera();
    showSettings();
    showBadge(null);
    heard.paused({ isPaused: false });
    worker.postMessage({ type: 'start', run: state.run, settings, log, stop });
}

function aimCamera() {
    const { distance, yaw, pitch, target } = presets[state.settings.preset].camera;
    Object.assign(camera, { distance, yaw, pitch, target: [...target] });
}

function listenToSliders() {
    for (const [name, { show, isLive, read = (x) => x }] of Object.entries(SLIDERS)) {
        const slider = element(name);
        const value = () => read(Number(slider.value));
        slider.oninput = () => {
            document.querySelector(`output[for=${name}]`).textContent = show(value());
            if (isLive) setLive(name, value());
        };
        slider.onchange = () => {
            if (!isLive) restart({ [name]: value() });
        };
    }
    element('ball').onchange = ({ target }) => restart({ ball: target.checked ? 1 : 0 });
}

function setLive(name, value) {
    state.live[name] = value;
    state.touched.add(name);
    worker.postMessage({ type: 'input', kind: name, values: [value] });
}

function listenToButtons() {
    element('pause').onclick = () => {
        if (state.isPaused) showAddress(withoutStop(location.hash));
        worker.postMessage({ type: 'pause', isPaused: !state.isPaused });
    };
    element('restart').onclick = () => restart();
    element('again').onclick = closeTrouble;
    element('copy').onclick = () => worker.postMessage({ type: 'log' });
    for (const [preset, { title }] of Object.entries(presets)) {
        const button = Object.assign(document.createElement('button'), { textContent: title, onclick: () => startAnew(settingsOf(preset)) });
        button.dataset.preset = preset;
        element('presets').append(button);
    }
    window.onhashchange = startFromAddress;
}

function closeTrouble() {
    element('trouble').hidden = true;
    if (element('again').textContent !== 'Close') restart();
}

function startFromAddress() {
    const { settings, log, stop, problem } = decodeLink(location.hash);
    start(settings, log, stop);
    if (problem) showTrouble(problem, 'Close');
}

// The mouse.

const onScreen = ({ clientX, clientY }) => ({ x: 2 * clientX / canvas.clientWidth - 1, y: 1 - 2 * clientY / canvas.clientHeight });

/** Position of the draggable object, the centre of the ball or the tank; null if there is neither. */
const dragged = () => state.frame?.tank ?? state.frame?.ball ?? null;

/** True if a ray from the eye through a point of the screen intersects the tank. */
function meetsTank({ x, y }) {
    const through = camera.unproject(x, y, 1);
    const [nearest, farthest] = [[], []];
    for (let a = 0; a < 3; ++a) {
        const way = through[a] - camera.eye[a];
        const sides = [-1, 1].map((side) => (state.frame.tank[a] + side * TANK.half[a] - camera.eye[a]) / way);
        nearest.push(Math.min(...sides));
        farthest.push(Math.max(...sides));
    }
    return Math.max(...nearest, 0) < Math.min(...farthest);
}

function meetsBall(at, centre) {
    const radius = 1.4 * BALL_RADIUS * 2 * camera.scale / centre.depth;
    return Math.hypot((at.x - centre.x) * camera.aspect, at.y - centre.y) < radius;
}

/**
 * If the pointer is on the draggable object: depth of its centre, and offset from the pointer to the centre.
 * Otherwise depth 0.
 */
function grab(event) {
    const middle = dragged();
    if (!middle) return { depth: 0 };
    const [at, centre] = [onScreen(event), camera.project(middle)];
    if (!(state.frame.tank ? meetsTank(at) : meetsBall(at, centre))) return { depth: 0 };
    const pointer = camera.unproject(at.x, at.y, centre.depth);
    return { depth: centre.depth, offset: middle.map((x, a) => x - pointer[a]) };
}

/** The centre of the draggable object in pixels of the page, or null: for tests. */
export function draggedOnScreen() {
    if (!dragged()) return null;
    const { x, y } = camera.project(dragged());
    return { x: (x + 1) / 2 * canvas.clientWidth, y: (1 - y) / 2 * canvas.clientHeight };
}

function drag(event) {
    const { x, y } = onScreen(event);
    const { depth, offset } = state.held;
    const target = camera.unproject(x, y, depth).map((c, a) => Math.round(256 * (c + offset[a])) / 256);
    worker.postMessage({ type: 'input', kind: 'drag', values: target });
}

function orbit(event) {
    camera.yaw -= 0.006 * event.movementX;
    camera.pitch = Math.min(1.5, Math.max(-1.5, camera.pitch + 0.006 * event.movementY));
}

function listenToPointer() {
    canvas.onpointerdown = (event) => {
        canvas.setPointerCapture(event.pointerId);
        state.held = grab(event);
        canvas.classList.add('holds');
    };
    canvas.onpointermove = (event) => {
        if (!state.held) return;
        if (state.held.depth) drag(event);
        else orbit(event);
    };
    canvas.onpointerup = canvas.onpointercancel = () => {
        if (state.held?.depth) worker.postMessage({ type: 'input', kind: 'release', values: [] });
        state.held = null;
        canvas.classList.remove('holds');
    };
    canvas.onwheel = (event) => {
        event.preventDefault();
        camera.distance = Math.min(40, Math.max(1, camera.distance * Math.exp(0.001 * event.deltaY)));
    };
    canvas.addEventListener('wheel', (event) => event.preventDefault(), { passive: false });
}

// The picture.

/** Mean position of the smoke, from every sixteenth tracer. */
function middleOfSmoke({ points, count }) {
    const sums = [0, 0, 0];
    let seen = 0;
    for (let i = 0; i < count; i += 16, ++seen) sums.forEach((_, a) => { sums[a] += points[5 * i + a]; });
    return sums.map((sum) => sum / Math.max(seen, 1));
}

function followSmoke(seconds) {
    if (!presets[state.settings.preset].camera.follows || state.held?.depth) return;
    const wanted = middleOfSmoke(state.frame);
    const share = 1 - Math.exp(-3 * seconds);
    camera.target = camera.target.map((t, a) => t + (wanted[a] - t) * share);
}

function draw(now) {
    requestAnimationFrame(draw);
    if (!state.frame) return;
    followSmoke(Math.min(0.1, (now - state.lastDraw) / 1000));
    state.lastDraw = now;
    renderer.resize();
    camera.aspect = canvas.width / canvas.height;
    camera.look();
    const { preset } = state.settings;
    const isHeld = Boolean(state.held?.depth);
    const tank = state.frame.tank && { centre: state.frame.tank, half: TANK.half };
    const scene = { ball: state.frame.ball, radius: BALL_RADIUS, tank, isHeld, hasFloor: preset === 'floor' };
    renderer.draw({ ...LOOKS[preset], ...scene, bySpeed: element('by_speed').checked ? 1 : 0, opacity: opacity(preset) }, camera);
}

/** With fewer tracers, each covers a larger area. */
function opacity(preset) {
    return LOOKS[preset].opacity * Math.sqrt(presets[preset].settings.tracers / state.settings.tracers);
}

async function readNative() {
    const response = await fetch(new URL('native.json', import.meta.url));
    if (response.ok) state.native = await response.json();
}

if (renderer) {
    listenToWorker();
    listenToSliders();
    listenToButtons();
    listenToPointer();
    await readNative().catch(() => {});
    startFromAddress();
    requestAnimationFrame(draw);
}
