// The page in a real browser: every preset for 40 steps, with the hashes of a native run of the same scene;
// pixels that are not blank; a slider, a dragged ball and a copied link. Needs studio/out (studio/check makes
// it). A word as argument selects the tests with the word in their title.
import { strict as assert } from 'node:assert';
import { readFileSync } from 'node:fs';
import { presets, settingsOf } from '../presets.js';
import { decodeLink, encodeLink } from '../link.js';
import { loadVorton, playNatively, runHere } from './play.mjs';
import { numbersOf, openBrowser, openPage, waitForStep } from './open.mjs';
import { serve } from './serve.mjs';

const STEPS = 40;
const vorton = await loadVorton();
const server = await serve();
const browser = await openBrowser();
let passed = 0;
let failed = 0;

async function test(title, body) {
    if (!title.includes(process.argv[2] ?? '')) return;
    try {
        console.log(`ok      ${title}: ${await body()}`);
        passed += 1;
    } catch (error) {
        console.log(`FAILED  ${title}: ${error.message}`);
        failed += 1;
    }
}

/** Runs `body` with the page at this fragment, and closes it. */
async function withPage(piece, body) {
    const { page, errors } = await openPage(browser, `${server.address}#${piece}`);
    try {
        const result = await body(page);
        assert.deepEqual(errors, []);
        return result;
    } finally {
        await page.close();
    }
}

/** Returns the hash of the fluid at the end of a native run of the scene. */
function nativeHash(settings, log, steps) {
    const { lines } = runHere(vorton, settings, log, steps, steps);
    return playNatively(lines).hashes.at(-1).split(' ')[0];
}

async function hashAfter(page, steps) {
    await waitForStep(page, steps);
    const { Step, Hash } = await numbersOf(page);
    assert.equal(Number(Step), steps);
    return Hash;
}

/** Returns the fraction of the picture's pixels that are much lighter than its background. */
function lightShare(page) {
    return page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => {
        const canvas = document.getElementById('view');
        const gl = canvas.getContext('webgl2');
        const pixels = new Uint8Array(4 * canvas.width * canvas.height);
        gl.readPixels(0, 0, canvas.width, canvas.height, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
        let light = 0;
        for (let i = 0; i < pixels.length; i += 4) light += Math.max(pixels[i], pixels[i + 1], pixels[i + 2]) > 70;
        resolve(light / (pixels.length / 4));
    })));
}

for (const preset of Object.keys(presets)) {
    await test(preset, () => withPage(`preset=${preset}&stop=${STEPS}`, async (page) => {
        assert.equal(await hashAfter(page, STEPS), nativeHash(settingsOf(preset), [], STEPS), 'the hash of the native build');
        assert.equal(await page.textContent('#badge'), 'same bits as native');
        const share = await lightShare(page);
        assert.ok(share > 0.004 && share < 0.9, `${share} of the pixels are light`);
        const numbers = await numbersOf(page);
        return `same bits after ${STEPS} steps, ${numbers['A step takes']} each, ${(100 * share).toFixed(0)} % of the pixels light`;
    }));
}

/** Pauses the page; returns the step and the hash of the fluid. */
async function pauseAt(page, steps) {
    await waitForStep(page, steps);
    await page.click('#pause');
    await page.waitForFunction(() => document.getElementById('pause').textContent === 'Go on');
    await page.waitForTimeout(300);
    const { Step, Hash } = await numbersOf(page);
    return { step: Number(Step), hash: Hash };
}

/** Moves a slider to a number and releases it. */
function moveSlider(page, name, number, events = ['input', 'change']) {
    return page.evaluate(([id, value, kinds]) => {
        const slider = document.getElementById(id);
        slider.value = value;
        kinds.forEach((kind) => slider.dispatchEvent(new Event(kind)));
        return Number(slider.value);
    }, [name, number, events]);
}

const pieceOf = (page) => page.evaluate(() => location.hash.slice(1));

await test('a slider', () => withPage('preset=ring&stop=20', async (page) => {
    const before = await hashAfter(page, 20);
    const core_radius = await moveSlider(page, 'core_radius', 0.24);
    await page.waitForFunction(() => document.getElementById('badge').textContent === 'a scene of your own');
    const { step, hash } = await pauseAt(page, 20);
    assert.equal(hash, nativeHash(settingsOf('ring', { core_radius }), [], step), 'the hash of the native build');
    assert.notEqual(hash, before);
    return 'changes the hash, and the badge says so';
}));

await test('gravity and time step outlast a new start', () => withPage('preset=two_drops&tracers=4000', async (page) => {
    await waitForStep(page, 5);
    await moveSlider(page, 'gravity', -4.5);
    await moveSlider(page, 'dt', 90);
    await moveSlider(page, 'seed', 4);
    const wanted = { tracers: 4000, seed: 4, gravity: -4.5, dt: 1 / 90 };
    const { step, hash } = await pauseAt(page, 10);
    assert.equal(hash, nativeHash(settingsOf('two_drops', wanted), [], step), 'after another slider');
    await page.click('#restart');
    await page.click('#copy');
    await page.waitForFunction(() => document.getElementById('copy').textContent.startsWith('Copied'));
    assert.deepEqual(decodeLink(await pieceOf(page)), { settings: settingsOf('two_drops', wanted), log: [], stop: 0, problem: null });
    assert.deepEqual(await page.evaluate(() => ['gravity', 'dt'].map((id) => document.getElementById(id).value)), ['-4.5', '90']);

    const log = [{ step: 4, kind: 'gravity', values: [3.5] }];
    const linked = settingsOf('two_drops', { tracers: 4000, gravity: -2 });
    await page.evaluate((piece) => { location.hash = piece; }, `${encodeLink(linked, log)}&stop=12`);
    await page.waitForFunction(() => document.getElementById('gravity').value === '3.5');
    await page.waitForFunction(() => document.getElementById('pause').textContent === 'Go on');
    assert.equal(await hashAfter(page, 12), nativeHash(linked, log, 12), 'a link has its own at the start');
    await page.click('#restart');
    const again = await pauseAt(page, 5);
    assert.equal(again.hash, nativeHash({ ...linked, gravity: 3.5 }, [], again.step), 'what a link has set outlasts a new start, too');
    return 'of another slider, of the button, and in links';
}));

await test('a stop acts once', () => withPage('preset=leapfrog&stop=10', async (page) => {
    await hashAfter(page, 10);
    assert.equal(await pieceOf(page), 'preset=leapfrog&stop=10');
    await page.click('#pause');
    await waitForStep(page, 20);
    assert.equal(await pieceOf(page), 'preset=leapfrog');
    await page.click('#restart');
    await page.waitForFunction(() => Number(document.querySelector('#numbers dd').textContent) < 10);
    await waitForStep(page, 15);
    await page.evaluate(() => { location.hash = 'preset=ring&stop=10'; });
    await page.waitForFunction(() => document.querySelector('[data-preset=ring]').getAttribute('aria-pressed') === 'true');
    await page.waitForFunction(() => document.getElementById('pause').textContent === 'Go on');
    await hashAfter(page, 10);
    await page.click('[data-preset=leapfrog]');
    assert.ok(!(await pieceOf(page)).includes('stop'));
    await waitForStep(page, 15);
    const { settings, stop } = decodeLink(await pieceOf(page));
    assert.deepEqual([settings, stop], [settingsOf('leapfrog'), 0]);
    return 'and leaves the address';
}));

await test('a damaged link', () => withPage('preset=constructor&seed=3', async (page) => {
    const text = await page.textContent('#trouble:not([hidden]) p');
    assert.match(text, /^This link is damaged: there is no preset "constructor"; "Smoke ring" runs instead\.$/);
    const { step, hash } = await pauseAt(page, 5);
    assert.equal(hash, nativeHash(settingsOf('ring'), [], step));
    await page.click('#again');
    assert.equal(await page.isVisible('#trouble'), false);
    assert.equal(Number((await numbersOf(page)).Step), step, 'closing it starts nothing');
    await page.evaluate(() => { location.hash = 'preset=ball&seed=-1'; });
    await page.waitForFunction(() => document.querySelector('#trouble:not([hidden]) p')?.textContent.includes('seed'));
    await page.click('[data-preset=ball]');
    assert.equal(await page.isVisible('#trouble'), false);
    return text;
}));

await test('a dragged ball and its link', () => withPage('preset=ball&tracers=4000&stop=5', async (page) => {
    await waitForStep(page, 5);
    const place = await page.evaluate(async () => (await import('./page.js')).draggedOnScreen());
    await page.mouse.move(place.x, place.y);
    await page.mouse.down();
    await page.evaluate(() => document.getElementById('pause').click());
    for (let i = 1; i <= 12; ++i) {
        await page.mouse.move(place.x + 15 * i, place.y - 8 * i);
        await page.waitForTimeout(30);
    }
    await page.mouse.up();
    await page.evaluate(() => {
        const slider = document.getElementById('gravity');
        slider.value = -3;
        slider.dispatchEvent(new Event('input'));
    });
    await page.waitForTimeout(300);
    await page.click('#copy');
    await page.waitForFunction(() => location.hash.includes('log='));
    const piece = (await page.evaluate(() => location.hash)).slice(1);
    const { settings, log } = decodeLink(piece);
    assert.ok(log.filter(({ kind }) => kind === 'drag').length >= 5, `${log.length} inputs`);
    assert.ok(log.some(({ kind }) => kind === 'release') && log.at(-1).kind === 'gravity');
    const steps = log.at(-1).step + 10;
    const there = nativeHash(settings, log, steps);
    const without = nativeHash(settings, [], steps);
    const here = await withPage(`${piece}&stop=${steps}`, (other) => hashAfter(other, steps));
    assert.equal(here, there, 'the hash of the native build');
    assert.notEqual(here, without, 'inputs change the hash');
    return `${log.length} inputs, ${piece.length} characters: the same bits after ${steps} steps, in the page and natively`;
}));

await test('a dragged tank', () => withPage('preset=tank&tracers=3000&stop=5', async (page) => {
    await waitForStep(page, 5);
    const before = await page.evaluate(async () => (await import('./page.js')).draggedOnScreen());
    await page.mouse.move(before.x + 60, before.y - 30);
    await page.mouse.down();
    await page.mouse.move(before.x + 160, before.y - 130);
    await page.mouse.up();
    await page.click('#pause');
    const { step, hash } = await pauseAt(page, 80);
    const after = await page.evaluate(async () => (await import('./page.js')).draggedOnScreen());
    const missed = Math.hypot(after.x - before.x - 100, after.y - before.y + 100);
    assert.ok(missed < 5, `${missed} pixels from where it was dragged`);
    assert.equal(await page.isDisabled('#ball'), true);
    await page.click('#copy');
    await page.waitForFunction(() => location.hash.includes('log='));
    const { settings, log } = decodeLink(await pieceOf(page));
    assert.deepEqual(log.map(({ kind }) => kind), ['drag', 'release']);
    assert.equal(hash, nativeHash(settings, log, step), 'the hash of the native build');
    return `follows by its middle to ${missed.toFixed(1)} pixels; the same bits after ${step} steps, in the page and natively`;
}));

await test('a scene that is refused', () => withPage('preset=ball&core_radius=0.03', async (page) => {
    await page.waitForSelector('#trouble:not([hidden])');
    const text = await page.textContent('#trouble p');
    assert.match(text, /max_vortons/);
    await page.evaluate(() => { location.hash = 'preset=leapfrog&stop=5'; });
    await waitForStep(page, 5);
    assert.equal(await page.isVisible('#trouble'), false);
    return text;
}));

await test('a library that cannot be loaded', async () => {
    const missing = () => { throw new Error('missing'); };
    const texts = [];
    for (const [bytes, reason] of [[missing, /404/], [() => Buffer.from('<html>'), /magic/]]) {
        let serveIt = bytes;
        const other = await serve({ '/out/vorton.wasm': () => serveIt() });
        const { page } = await openPage(browser, `${other.address}#preset=leapfrog`);
        texts.push(await page.textContent('#trouble:not([hidden]) p', { timeout: 20000 }));
        assert.match(texts.at(-1), /vorton\.wasm could not be loaded/);
        assert.match(texts.at(-1), reason);
        assert.match(texts.at(-1), /studio\/build makes studio\/out\/vorton\.wasm\.$/);
        serveIt = () => readFileSync(new URL('../out/vorton.wasm', import.meta.url));
        await page.click('#again');
        await waitForStep(page, 3);
        assert.equal(await page.isVisible('#trouble'), false, 'Start again loads it');
        await page.close();
        other.close();
    }
    return texts[0];
});

await test('a browser without WebGL2', async () => {
    const first = 'const get = HTMLCanvasElement.prototype.getContext; HTMLCanvasElement.prototype.getContext = '
        + 'function (kind, ...rest) { return kind === "webgl2" ? null : get.call(this, kind, ...rest); };';
    const { page, errors } = await openPage(browser, server.address, undefined, first);
    const text = await page.textContent('#trouble:not([hidden]) p');
    assert.match(text, /needs WebGL2/);
    assert.equal(await page.isVisible('#again'), false);
    assert.deepEqual(errors, []);
    await page.close();
    return text;
});

await test('a library that has stopped', () => withPage('preset=leapfrog&stop=5', async (page) => {
    await waitForStep(page, 5);
    const codes = await page.evaluate(async () => {
        const { load } = await import('./vorton.js');
        const stopped = await load('out/vorton.wasm');
        const world = stopped.createWorld();
        const codeOf = (call) => {
            try {
                return call();
            } catch ({ code }) {
                return code;
            }
        };
        const outOfMemory = 0xfffffff0;
        return [codeOf(() => stopped.call('vorton_world_hash', world.id, outOfMemory)), codeOf(() => world.step(0.1))];
    });
    assert.deepEqual(codes, ['TRAP', 'TRAP']);
    return 'says so, then and later';
}));

await browser.close();
server.close();
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
