// A scene as a fragment of an address: settings as text, and the log of inputs as bytes: for each input the
// steps since the previous one (7 bits per byte, lowest first), its kind, and its numbers as 32-bit floats. A
// link is accepted as a whole or refused.
import { presets, settingsOf } from './presets.js';
import { INPUTS } from './simulation.js';

export const DEFAULT_PRESET = 'ring';
const KINDS = Object.keys(INPUTS);
const MOST_STEPS = 2 ** 31 - 1;
const MOST_SEED = 2 ** 32 - 1;
const NUMBER = /^-?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** Settings of a link: smallest and largest value, and whether the value is an integer. */
const LIMITS = {
    seed: [0, MOST_SEED, true],
    core_radius: [1e-3, 100, false],
    gravity: [-1000, 1000, false],
    dt: [1e-4, 1, false],
    tracers: [1, 200000, true],
    ball: [0, 1, true],
};

/** The reason for refusing a link, as the end of a sentence. */
class LinkError extends Error {}

function check(isRight, text) {
    if (!isRight) throw new LinkError(text);
}

/** Checks a number of a setting, or of an input that changes this setting. */
function checkNumber(name, value) {
    const [low, high, isWhole] = LIMITS[name];
    const isRight = value >= low && value <= high && (!isWhole || Number.isInteger(value));
    check(isRight, `${name} has to be a ${isWhole ? 'whole ' : ''}number from ${low} to ${high}`);
}

/** Checks that a log has inputs of known kinds with all their numbers, in the order of their steps. */
function checkLog(log) {
    let before = 0;
    for (const { step, kind, values } of log) {
        check(Number.isInteger(step) && step >= 0 && step <= MOST_STEPS, `an input has a step that is not a whole number from 0 to ${MOST_STEPS}`);
        check(step >= before, 'its inputs are not in the order of their steps');
        check(KINDS.includes(kind), 'it has an input of an unknown kind');
        check(values.length === INPUTS[kind] && values.every(Number.isFinite), `an input "${kind}" lacks a number`);
        if (kind in LIMITS) checkNumber(kind, values[0]);
        before = step;
    }
}

function stepsToBytes(steps, bytes) {
    for (; steps > 127; steps >>>= 7) bytes.push(128 | steps & 127);
    bytes.push(steps);
}

export function encodeLog(log) {
    checkLog(log);
    const bytes = [];
    let before = 0;
    for (const { step, kind, values } of log) {
        stepsToBytes(step - before, bytes);
        bytes.push(KINDS.indexOf(kind), ...new Uint8Array(new Float32Array(values).buffer));
        before = step;
    }
    return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

function bytesOf(text) {
    check(/^[\w-]*$/.test(text) && text.length % 4 !== 1, 'its inputs are not written as bytes');
    return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0));
}

export function decodeLog(text) {
    const bytes = bytesOf(text);
    const log = [];
    let step = 0;
    for (let at = 0; at < bytes.length;) {
        for (let weight = 1, more = true; more; weight *= 128) {
            check(at < bytes.length && weight <= MOST_STEPS, 'an input is cut off');
            step += (bytes[at] & 127) * weight;
            more = bytes[at++] > 127;
        }
        const kind = KINDS[bytes[at++]];
        const size = 4 * (INPUTS[kind] ?? 0);
        check(at + size <= bytes.length, 'an input is cut off');
        log.push({ step, kind, values: Array.from(new Float32Array(bytes.slice(at, at + size).buffer)) });
        at += size;
    }
    checkLog(log);
    return log;
}

/** Returns the part after the # of an address. */
export function encodeLink(settings, log) {
    const words = new URLSearchParams(Object.entries(settings));
    if (log.length) words.set('log', encodeLog(log));
    return words.toString();
}

function readLink(text) {
    const words = new URLSearchParams(text);
    const names = Array.from(words.keys());
    const preset = words.get('preset') ?? DEFAULT_PRESET;
    check(Object.hasOwn(presets, preset), `there is no preset "${preset}"`);
    const settings = settingsOf(preset);
    for (const [name, value] of words) {
        check(names.indexOf(name) === names.lastIndexOf(name), `it has "${name}" twice`);
        if (['preset', 'log', 'stop'].includes(name)) continue;
        check(Object.hasOwn(LIMITS, name), `there is no setting "${name}"`);
        checkNumber(name, NUMBER.test(value) ? Number(value) : NaN);
        settings[name] = Number(value);
    }
    check(!settings.ball || presets[preset].ball, `the preset "${preset}" has no ball`);
    const stop = words.get('stop') ?? '0';
    check(/^\d+$/.test(stop) && Number(stop) <= MOST_STEPS, `stop has to be a whole number from 0 to ${MOST_STEPS}`);
    return { settings, log: decodeLog(words.get('log') ?? ''), stop: Number(stop), problem: null };
}

/**
 * Parses an address into { settings, log, stop, problem }. Settings that it does not name are those of the
 * preset. `stop`: pauses after that step, unless it is 0. `problem`: null, or one sentence with the reason
 * for refusing a link; the other fields are then the default scene.
 */
export function decodeLink(text) {
    try {
        return readLink(text.replace(/^#/, ''));
    } catch (error) {
        if (!(error instanceof LinkError)) throw error;
        const { title } = presets[DEFAULT_PRESET];
        const problem = `This link is damaged: ${error.message}; "${title}" runs instead.`;
        return { settings: settingsOf(DEFAULT_PRESET), log: [], stop: 0, problem };
    }
}

/** Returns the address without a stop. */
export function withoutStop(text) {
    return text.replace(/^#/, '').split('&').filter((word) => !word.startsWith('stop=')).join('&');
}
