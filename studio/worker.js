// Runs a scene in step with the clock and sends frames to draw. Messages to it: start { run, settings, log,
// stop }, input { kind, values }, pause { isPaused }, log, recycle { points }. From it: ready, frame, log,
// error.
import { load } from './vorton.js';
import { Simulation } from './simulation.js';

/** Numbers per tracer in a frame: x y z, speed, tag. */
const WIDTH = 5;
/** Hashes of everything are computed in steps that are multiples of this. */
const HASH_EVERY = 20;
/** A delay above this [ms] is not caught up. */
const MOST_LATE = 100;

let vorton = null;
let simulation = null;
let run = 0;
let stop = 0;
let isPaused = false;
let due = 0;
let timer = null;
let milliseconds = 0;
let hashes = null;
/** Memory of frames returned by the page: at most two are in flight. */
let spares = [];
/** True if the last step has not been sent. */
let isOwed = false;

function fail(error) {
    clearTimeout(timer);
    timer = null;
    if (error.code === 'TRAP') vorton = simulation = null;
    postMessage({ type: 'error', text: error.message, code: error.code });
}

async function start({ run: mine, settings, log, stop: last }) {
    run = mine;
    clearTimeout(timer);
    vorton ??= await load(new URL('out/vorton.wasm', import.meta.url));
    if (mine !== run) return;
    simulation?.destroy();
    simulation = null;
    simulation = new Simulation(vorton, settings, log);
    spares = [0, 1].map(() => new Float32Array(WIDTH * settings.tracers));
    stop = last;
    milliseconds = 0;
    hashes = null;
    isPaused = false;
    postMessage({ type: 'ready', run, build: vorton.build });
    due = performance.now();
    sendFrame();
    tick();
}

function tick() {
    timer = null;
    if (!simulation || isPaused) return;
    try {
        step();
        sendFrame();
    } catch (error) {
        fail(error);
        return;
    }
    if (simulation.steps === stop) return pause(true);
    const now = performance.now();
    due = Math.max(due + 1000 * simulation.dt, now - MOST_LATE);
    timer = setTimeout(tick, Math.max(0, due - now));
}

function step() {
    const from = performance.now();
    simulation.step();
    const took = performance.now() - from;
    milliseconds += (took - milliseconds) / Math.min(simulation.steps, 20);
    if (simulation.steps % HASH_EVERY === 0) {
        hashes = { step: simulation.steps, text: `${simulation.world.hash()} ${simulation.world.hashAll()}`, isAsGiven: simulation.isAsGiven };
    }
}

/** Sends a frame, unless two frames are still to be drawn. */
function sendFrame() {
    const points = spares.pop();
    isOwed = !points;
    if (isOwed) return;
    const smoke = simulation.readSmoke();
    for (let i = 0; i < smoke.count; ++i) {
        const to = WIDTH * i;
        for (let a = 0; a < 3; ++a) points[to + a] = smoke.positions[3 * i + a];
        points[to + 3] = smoke.speeds[i];
        points[to + 4] = smoke.tags[i];
    }
    const ball = simulation.ball?.read().position ?? null;
    const tank = simulation.tank?.read().position ?? null;
    const frame = { type: 'frame', run, points, count: smoke.count, ball, tank, live: { ...simulation.live }, stats: stats(), hashes };
    postMessage(frame, [points.buffer]);
}

function stats() {
    const all = simulation.world.stats();
    const { time, energy, mesh_nodes, solves, vortons } = all;
    const bytes = vorton.memory.buffer.byteLength;
    const numbers = { vortons: Number(vortons), mesh_nodes: Number(mesh_nodes), bytes };
    return { ...numbers, step: simulation.steps, time, energy, solves, milliseconds, note: simulation.note, hash: simulation.world.hash() };
}

function pause(value) {
    if (isPaused === value) return;
    isPaused = value;
    due = performance.now();
    if (isPaused) clearTimeout(timer);
    else timer ??= setTimeout(tick, 0);
    if (isPaused) timer = null;
    postMessage({ type: 'paused', isPaused });
}

const handlers = {
    start,
    input: ({ kind, values }) => simulation?.input(kind, values),
    pause: (message) => pause(message.isPaused),
    log: () => simulation && postMessage({ type: 'log', settings: simulation.settings, log: simulation.log }),
    recycle: ({ points }) => {
        if (!simulation || points.length !== WIDTH * simulation.settings.tracers || spares.length === 2) return;
        spares.push(points);
        if (isOwed && isPaused) sendFrame();
    },
};

onmessage = async ({ data }) => {
    try {
        await handlers[data.type](data);
    } catch (error) {
        fail(error);
    }
};
