// Every preset in WebAssembly and natively, as it is and with inputs: the hashes must be equal. Writes
// ../native.json, the hashes that the page compares its own with. Fails where bits differ.
import { writeFileSync } from 'node:fs';
import { presets, settingsOf } from '../presets.js';
import { loadVorton, playNatively, runHere } from './play.mjs';

const STEPS = 240;
const EVERY = 20;

/** Things that a user does: the ball is dragged about and let go, gravity and the time step change. */
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
const known = { build: '', every: EVERY, presets: {} };
let passed = 0;
let failed = 0;
for (const preset of Object.keys(presets)) {
    const asGiven = compare(vorton, preset, settingsOf(preset), []);
    const withInputs = compare(vorton, `${preset}, with inputs`, settingsOf(preset, { ball: 1, seed: 7, tracers: 3000 }), INPUT_LOG);
    [known.build] = asGiven.build.split(',');
    known.presets[preset] = asGiven.hashes;
    for (const { isSame } of [asGiven, withInputs]) isSame ? passed++ : failed++;
}
writeFileSync(new URL('../native.json', import.meta.url), `${JSON.stringify(known, null, 4)}\n`);
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
