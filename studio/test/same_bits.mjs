// Every preset in WebAssembly and natively, unchanged and with inputs: the hashes must be equal. Fails if
// bits differ, or if they differ from ../native.json, with which the page compares its own; VORTON_BLESS=1
// rewrites that file, after all comparisons.
import { fileURLToPath } from 'node:url';
import { keepHashes } from './known.mjs';
import { presets, settingsOf } from '../presets.js';
import { loadVorton, playNatively, runHere } from './play.mjs';

const STEPS = 240;
const EVERY = 20;

/** Inputs of a user: the ball or the tank is dragged and released, gravity and the time step change. */
const INPUT_LOG = [
    ...Array.from({ length: 40 }, (_, i) => ({ step: 10 + i, kind: 'drag', values: [i / 32 - 1, Math.abs(i - 20) / 64, (i % 7) / 32] })),
    { step: 30, kind: 'gravity', values: [Math.fround(-4.3)] },
    { step: 50, kind: 'release', values: [] },
    { step: 70, kind: 'dt', values: [Math.fround(1 / 90)] },
].sort((a, b) => a.step - b.step);

function firstDifference(here, there) {
    return here.findIndex((hash, i) => hash !== there[i]);
}

/** Compares one scene; returns its native hashes. */
function compare(vorton, title, settings, log) {
    const here = runHere(vorton, settings, log, STEPS, EVERY);
    const there = playNatively(here.lines);
    const portable = playNatively(here.lines, 'portable');
    const at = firstDifference(here.hashes, there.hashes);
    const isSame = at < 0 && there.hashes.length === here.hashes.length && firstDifference(portable.hashes, there.hashes) < 0;
    const times = [here, there, portable].map(({ milliseconds }) => milliseconds.toFixed(2).padStart(7)).join(' ');
    console.log(`${title.padEnd(24)} ${String(here.vortons).padStart(6)} vortons  ms per step: ${times}  ${isSame ? 'same bits' : `DIFFERENT from step ${(at + 1) * EVERY} on`}`);
    return { isSame, build: there.build, hashes: there.hashes };
}

const vorton = await loadVorton();
console.log(`${vorton.build}; ${STEPS} steps; times: WebAssembly, native with the widest vectors, native portable`);
const scenes = {};
const results = [];
for (const preset of Object.keys(presets)) {
    const asGiven = compare(vorton, preset, settingsOf(preset), []);
    const withInputs = compare(vorton, `${preset}, with inputs`, settingsOf(preset, { ball: presets[preset].ball ? 1 : 0, seed: 7, tracers: 3000 }), INPUT_LOG);
    scenes[preset] = asGiven.hashes;
    results.push(asGiven, withInputs);
}
const [build] = results[0].build.split(',');
const file = fileURLToPath(new URL('../native.json', import.meta.url));
const reason = keepHashes(file, EVERY, build, scenes, results, Boolean(process.env.VORTON_BLESS));
if (reason) console.log(`studio/native.json: ${reason}`);
const passed = results.filter(({ isSame }) => isSame).length;
console.log(`${passed} passed, ${results.length - passed} failed`);
process.exit(reason ? 1 : 0);
