// Runs scenes in WebAssembly and records them, and plays recordings natively.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { load } from '../vorton.js';
import { Simulation } from '../simulation.js';

const folder = new URL('../out/', import.meta.url);

export async function loadVorton() {
    return load(readFileSync(new URL('vorton.wasm', folder)));
}

/**
 * Runs a scene for a number of steps. Returns its recording, with a "hash" after each `every` steps; the
 * hashes; and ms per step.
 */
export function runHere(vorton, settings, log, steps, every) {
    const lines = [];
    const hashes = [];
    vorton.recorder = (line) => lines.push(line);
    const simulation = new Simulation(vorton, settings, log);
    let milliseconds = 0;
    while (simulation.steps < steps) {
        const start = performance.now();
        simulation.step();
        milliseconds += performance.now() - start;
        if (simulation.steps % every !== 0) continue;
        lines.push('hash');
        hashes.push(`${simulation.world.hash()} ${simulation.world.hashAll()}`);
    }
    const { vortons } = simulation.world.stats();
    simulation.destroy();
    vorton.recorder = null;
    return { lines, hashes, milliseconds: milliseconds / steps, vortons: Number(vortons) };
}

/**
 * Plays a recording natively: { build, hashes, milliseconds }. `instructions`: 'portable', or nothing for the
 * widest.
 */
export function playNatively(lines, instructions = 'widest') {
    const program = new URL('native', folder).pathname;
    const input = `${lines.join('\n')}\n`;
    const output = execFileSync(program, [instructions], { input, encoding: 'utf8', maxBuffer: 1 << 26 }).split('\n');
    const after = (word) => output.filter((line) => line.startsWith(`${word} `)).map((line) => line.slice(word.length + 1));
    return { build: after('build')[0], hashes: after('hash'), milliseconds: Number(after('steps')[0].split(' ms ')[1]) };
}
