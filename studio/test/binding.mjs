// Tests of vorton.js in node.
import { strict as assert } from 'node:assert';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { constants, layouts, load } from '../vorton.js';
import { decodeLink, encodeLink, encodeLog, withoutStop } from '../link.js';
import { presets, settingsOf, TANK } from '../presets.js';
import { Simulation } from '../simulation.js';
import { keepHashes } from './known.mjs';
import { loadVorton, playNatively } from './play.mjs';

let passed = 0;
let failed = 0;

async function test(title, body) {
    try {
        await body(await loadVorton());
        console.log(`ok      ${title}`);
        passed += 1;
    } catch (error) {
        console.log(`FAILED  ${title}: ${error.message}`);
        failed += 1;
    }
}

/** Creates a ring that travels along z, with one tracer in the middle. */
function ring(vorton, fields = {}) {
    const world = vorton.createWorld({ core_radius: 0.2, ...fields });
    assert.equal(world.addInitial('VORTON_INITIAL_FILAMENT_RING', { circulation: 2 }), 64);
    const tracers = world.createTracers({ capacity: 100 });
    tracers.add([0, 0, 0, 1, 0, 0], 7);
    return { world, tracers };
}

await test('defaults are the library\'s, and fields are where they were written', (vorton) => {
    vorton.withStruct('VortonWorldDef', ['vorton_world_def_init'], { gravity: [1, 2, 3], user_data: 5 }, (address) => {
        const def = vorton.read('VortonWorldDef', address);
        assert.deepEqual(def.gravity, [1, 2, 3]);
        assert.equal(def.user_data, 5n);
        assert.equal(def.core_radius, Math.fround(0.1));
        assert.equal(def.struct_size, layouts.VortonWorldDef.size);
    });
});

await test('a ring moves what is in its middle', (vorton) => {
    const { world, tracers } = ring(vorton);
    for (let i = 0; i < 30; ++i) world.step(1 / 60);
    const { count, positions, tags, ages } = tracers.read();
    assert.equal(count, 2);
    assert.ok(positions[2] > 0.3 && positions[2] < 1, `z is ${positions[2]}`);
    assert.deepEqual([...tags], [7, 7]);
    assert.ok(Math.abs(ages[0] - 0.5) < 1e-5);
    const [, , speed] = world.sample('VORTON_SAMPLE_VELOCITY', [0, 0, positions[2]]);
    assert.ok(speed > 0.5 && speed < 1.5, `${speed} m/s`);
    const stats = world.stats();
    assert.equal(stats.steps, 30n);
    assert.ok(stats.step_ms > 0 && stats.step_ms < 1000, `the clock: ${stats.step_ms} ms`);
    assert.equal(world.vortons().count, 64);
});

await test('a world that is restored goes on to the same bits', (vorton) => {
    const { world } = ring(vorton);
    world.step(1 / 60);
    const saved = world.save();
    world.step(1 / 60);
    const hash = world.hashAll();
    world.restore(saved);
    assert.notEqual(world.hashAll(), hash);
    world.step(1 / 60);
    assert.equal(world.hashAll(), hash);
    saved[saved.length >> 1] ^= 1;
    assert.throws(() => world.restore(saved), { code: constants.VORTON_ERR_SNAPSHOT });
});

await test('a pool that cannot start threads steps on the calling one, to the same bits', (vorton) => {
    const hashes = ['VORTON_THREADS_SERIAL', 'VORTON_THREADS_POOL', 'VORTON_THREADS_SHARED_POOL'].map((threads) => {
        const { world } = ring(vorton, { threads, worker_count: 4 });
        for (let i = 0; i < 5; ++i) world.step(1 / 60);
        assert.equal(world.stats().workers, 1);
        return world.hashAll();
    });
    assert.equal(new Set(hashes).size, 1);
});

await test('a budget by the clock', (vorton) => {
    const { world } = ring(vorton);
    const fields = { measure: 'VORTON_MEASURE_CLOCK', fluid_ms: 1, tracers_ms: 1 };
    vorton.withStruct('VortonBudget', ['vorton_budget_init'], fields, (budget) => {
        for (let i = 0; i < 10; ++i) vorton.call('vorton_world_step_within', world.id, 1 / 60, budget);
    });
    assert.equal(world.stats().steps, 10n);
});

await test('a body is where it was put, and the fluid moves it', (vorton) => {
    const { world } = ring(vorton);
    const ball = world.createBody({ position: [0, 0, 0.6], mass: 0.1, flags: 'VORTON_BODY_NO_THROUGH' });
    ball.addShape('VORTON_SHAPE_SPHERE', { radius: 0.2 });
    assert.deepEqual(ball.read().position, [0, 0, Math.fround(0.6)]);
    for (let i = 0; i < 10; ++i) world.step(1 / 60);
    const { position, velocity } = ball.read();
    const push = ball.takeImpulse().linear[2];
    assert.ok(position[2] < 0.6, 'the low pressure in the ring draws it');
    assert.ok(push < 0 && Math.abs(push / 0.1 - velocity[2]) < 1e-3 * Math.abs(velocity[2]), `${push} N s, ${velocity[2]} m/s`);
});

await test('an emitter is moved, stopped, started again and destroyed, as natively', (vorton) => {
    const lines = [];
    vorton.recorder = (line) => lines.push(line);
    const world = vorton.createWorld({ core_radius: 0.2, max_age: 2 });
    const [first, second] = [0, 1].map(() => world.createTracers({ capacity: 1000 }));
    const mist = world.createEmitter({ rate: 60, extent: [0.1, 0.1, 0.1], seed: 3 });
    const jet = world.createEmitter({ rate: 0, nozzle_radius: 0.2, tracer_rate: 120 }, first);
    const hashes = [];
    const counts = (steps) => {
        for (let i = 0; i < steps; ++i) world.step(1 / 60);
        lines.push('hash');
        hashes.push(`${world.hash()} ${world.hashAll()}`);
        return [world.vortons().count, first.read().count, second.read().count];
    };
    const running = counts(30);
    assert.ok(running[0] > 30 && running[1] > 55 && running[2] === 0, `${running}`);

    mist.setRate(0);
    jet.update({ nozzle_speed: 0, tracer_rate: 0 });
    assert.equal(jet.read().nozzle_radius, Math.fround(0.2), 'what is not named stays');
    const stopped = counts(10);
    assert.deepEqual(counts(10), stopped, 'nothing comes out');

    mist.burst(5);
    mist.setPose([3, 0, 0]);
    assert.deepEqual(mist.read().position, [3, 0, 0]);
    jet.update({ nozzle_speed: 1, tracer_rate: 120 }, second);
    const again = counts(20);
    assert.ok(again[0] > stopped[0] + 5 && again[1] === stopped[1] && again[2] > 30, `${again} after ${stopped}`);

    jet.update({}, null);
    const unfed = counts(30);
    assert.ok(unfed[0] > again[0] && unfed[2] === again[2], 'it goes on without tracers');
    assert.ok(mist.isValid);
    const cart = world.createBody({ position: [0, 0, 5], velocity: [1, 0, 0], mass: 0 });
    jet.update({ position: [0, 1, 0] }, undefined, cart);
    const ship = world.createEmitter({ rate: 60, position: [0, 0, 0.5] }, null, cart);
    counts(10);
    jet.update({}, undefined, null);
    ship.destroy();
    mist.destroy();
    assert.ok(!mist.isValid && jet.isValid);
    assert.throws(() => mist.setRate(1), { code: constants.VORTON_ERR_STALE_ID });
    counts(5);
    world.destroy();
    assert.deepEqual(playNatively(lines).hashes, hashes);
});

await test('what cannot be loaded is no library that has stopped', async () => {
    const broken = { code: 'LOAD', message: /could not be loaded/ };
    await assert.rejects(load(new Uint8Array(8)), broken);
    await assert.rejects(load(new Response('', { status: 404, statusText: 'Not Found' })), { ...broken, message: /404 Not Found/ });
    const empty = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0);
    await assert.rejects(load(empty), broken);
    await assert.rejects(load('http://127.0.0.1:1/vorton.wasm'), { ...broken, message: /vorton\.wasm/ });
});

await test('wrong calls are errors with a sentence', (vorton) => {
    const wrong = { code: constants.VORTON_ERR_BAD_VALUE };
    assert.throws(() => vorton.createWorld({ core_radius: -1 }), { ...wrong, message: /core_radius/ });
    assert.throws(() => vorton.createWorld({ core_radios: 1 }), { ...wrong, message: /core_radios/ });
    assert.throws(() => vorton.createWorld({ gravity: [1, 2] }), { ...wrong, message: /gravity/ });
    const { world } = ring(vorton);
    assert.throws(() => world.addInitial('VORTON_INITIAL_RONG'), { ...wrong, message: /RONG/ });
    world.destroy();
    assert.throws(() => vorton.call('vorton_world_step', world.id, 0.1), { code: constants.VORTON_ERR_STALE_ID });
});

await test('memory is used again', (vorton) => {
    const bytes = Array.from({ length: 30 }, () => {
        const { world, tracers } = ring(vorton);
        world.step(1 / 60);
        tracers.read();
        world.save();
        world.destroy();
        return vorton.memory.buffer.byteLength;
    });
    assert.equal(bytes[29], bytes[5]);
    assert.ok(vorton.memoryStats().bytes < 4000000n);
});

/** Encodes a log as bytes in the alphabet of links. */
const letters = (...bytes) => btoa(String.fromCharCode(...bytes)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');

await test('a link comes back as it was', () => {
    const log = [
        { step: 3, kind: 'gravity', values: [-4.5] }, { step: 3, kind: 'drag', values: [1, 0, -0.25] },
        { step: 70000, kind: 'release', values: [] }, { step: 2 ** 31 - 1, kind: 'dt', values: [Math.fround(1 / 90)] },
    ];
    for (const preset of Object.keys(presets)) {
        const settings = settingsOf(preset, { seed: 2 ** 32 - 1, gravity: -3.5, dt: 1 / 90 });
        assert.deepEqual(decodeLink(`#${encodeLink(settings, log)}`), { settings, log, stop: 0, problem: null });
    }
    assert.deepEqual(decodeLink(''), { settings: settingsOf('ring'), log: [], stop: 0, problem: null });
    assert.equal(decodeLink('#preset=ball&stop=7').stop, 7);
    assert.throws(() => encodeLog([log[2], log[0]]), /order/);
    const pieces = ['preset=ball&stop=7', 'stop=7&preset=ball', 'preset=ball&stop=7&seed=2', 'preset=ball', 'stop=7', ''];
    assert.deepEqual(pieces.map(withoutStop), ['preset=ball', 'preset=ball', 'preset=ball&seed=2', 'preset=ball', '', '']);
});

await test('a damaged link is refused whole, with a sentence', () => {
    const damaged = {
        'preset=constructor': /no preset "constructor"/, 'preset=toString&seed=2': /no preset/, 'preset=': /no preset/,
        'seed=1.5': /seed has to be a whole number from 0/, 'seed=-1': /seed/, 'seed=': /seed/, 'seed=4294967296': /seed/,
        'seed=two': /seed/, 'seed=0x10': /seed/, 'seed=2&seed=3': /twice/, 'dt=0': /dt has to be a number from/, 'dt=NaN': /dt/,
        'gravity=Infinity': /gravity/, 'core_radius=-0.1': /core_radius/, 'tracers=0': /tracers/, 'tracers=1e9': /tracers/, 'ball=2': /ball/,
        'colour=3': /no setting "colour"/, 'constructor=3': /no setting/, 'stop=-3': /stop/, 'stop=x': /stop/, 'stop=2147483648': /stop/,
        'log=*': /bytes/, 'log=A': /bytes/,
        [`log=${letters(5)}`]: /cut off/, [`log=${letters(133)}`]: /cut off/, [`log=${letters(5, 9)}`]: /kind/,
        [`log=${letters(5, 0, 0, 0, 128, 63, 0, 0, 0, 0)}`]: /cut off/, [`log=${letters(5, 2, 0, 0, 192, 127)}`]: /lacks a number/,
        [`log=${letters(5, 2, 0, 0, 128, 255)}`]: /lacks a number/, [`log=${letters(5, 3, 0, 0, 0, 0)}`]: /dt has to be/,
        [`log=${letters(255, 255, 255, 255, 15, 1)}`]: /step/, [`log=${letters(255, 255, 255, 255, 255, 1, 1)}`]: /cut off|step/,
        [`log=${letters(255, 255, 255, 255, 7, 1, 1, 1)}`]: /step/,
    };
    for (const [piece, reason] of Object.entries(damaged)) {
        const { problem, ...rest } = decodeLink(`#preset=ball&${piece}`.replace(/preset=ball&(?=preset)/, ''));
        assert.match(problem ?? `${piece} is accepted`, reason);
        assert.match(problem, /^This link is damaged: [^\n]+; "Smoke ring" runs instead\.$/);
        assert.deepEqual(rest, { settings: settingsOf('ring'), log: [], stop: 0 });
    }
});

await test('a tank swings, goes where it is dragged, and holds what is in it', (vorton) => {
    const simulation = new Simulation(vorton, settingsOf('tank', { tracers: 2000 }));
    const run = (steps, check = () => {}) => {
        for (let i = 0; i < steps; ++i) {
            simulation.step();
            check(simulation.tank.read().position, simulation.readSmoke());
        }
    };
    let outside = 0;
    let farthest = -1;
    const holds = (middle, { count, positions }) => {
        farthest = Math.max(farthest, middle[0]);
        for (let i = 0; i < 3 * count; ++i) outside += Math.abs(positions[i] - middle[i % 3]) > TANK.half[i % 3] + 1e-4;
    };
    run(80, holds);
    assert.ok(Math.abs(farthest + TANK.start[0]) < 0.01, `it swings to ${farthest}`);
    simulation.input('drag', [-2, 0.5, 1]);
    run(10, holds);
    simulation.input('drag', [1, 0, 0.5]);
    run(1, holds);
    simulation.input('release');
    run(100, holds);
    const { position, velocity } = simulation.tank.read();
    assert.ok([1, 0, 0.5].every((x, a) => Math.abs(position[a] - x) < 0.01 && Math.abs(velocity[a]) < 0.01), `${position}, ${velocity}`);
    assert.equal(outside, 0);
    assert.equal(decodeLink('#preset=tank&ball=1').problem, 'This link is damaged: the preset "tank" has no ball; "Smoke ring" runs instead.');
});

await test('all inputs before a step count, and end those of a link', (vorton) => {
    const log = [{ step: 0, kind: 'gravity', values: [-1] }, { step: 2, kind: 'gravity', values: [-2] }];
    const simulation = new Simulation(vorton, settingsOf('leapfrog', { tracers: 100 }), log);
    simulation.step();
    simulation.input('dt', [1 / 64]);
    simulation.input('gravity', [-3]);
    for (let i = 0; i < 3; ++i) simulation.step();
    assert.deepEqual(simulation.live, { gravity: -3, dt: 1 / 64 });
    assert.deepEqual(simulation.log, [log[0], { step: 1, kind: 'dt', values: [1 / 64] }, { step: 1, kind: 'gravity', values: [-3] }]);
});

await test('hashes are kept only after all comparisons have passed', () => {
    const folder = mkdtempSync(join(tmpdir(), 'vorton-'));
    const file = join(folder, 'native.json');
    const keep = (hash, results, isAllowed) => keepHashes(file, 20, 'vorton', { ring: [hash] }, results, isAllowed);
    const [same, different] = [{ isSame: true }, { isSame: false }];
    try {
        writeFileSync(file, 'old');
        assert.match(keep('a', [same, different], true), /1 of 2 scenes/);
        assert.match(keep('a', [], true), /stays/);
        assert.match(keep('a', [same], false), /VORTON_BLESS/);
        assert.equal(readFileSync(file, 'utf8'), 'old');
        assert.equal(keep('a', [same, same], true), null);
        assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')), { build: 'vorton', every: 20, presets: { ring: ['a'] } });
        assert.equal(keep('a', [same], false), null, 'the same hashes need no leave');
    } finally {
        rmSync(folder, { recursive: true });
    }
});

console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
