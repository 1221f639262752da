// A scene as a piece of an address: settings as they are, and the log of inputs as bytes: for each input the
// steps since the one before (7 bits a byte, lowest first), its kind, and its numbers as 32-bit floats.
import { presets, settingsOf } from './presets.js';
import { INPUTS } from './simulation.js';

const KINDS = Object.keys(INPUTS);
const MOST_TRACERS = 200000;

function stepsToBytes(steps, bytes) {
    for (; steps > 127; steps >>>= 7) bytes.push(128 | steps & 127);
    bytes.push(steps);
}

export function encodeLog(log) {
    const bytes = [];
    let before = 0;
    for (const { step, kind, values } of log) {
        stepsToBytes(step - before, bytes);
        bytes.push(KINDS.indexOf(kind), ...new Uint8Array(new Float32Array(values).buffer));
        before = step;
    }
    return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

export function decodeLog(text) {
    const bytes = Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0));
    const log = [];
    let step = 0;
    for (let at = 0; at < bytes.length;) {
        for (let shift = 0, more = true; more; shift += 7) {
            step += (bytes[at] & 127) << shift;
            more = bytes[at++] > 127;
        }
        const kind = KINDS[bytes[at++]];
        const size = 4 * INPUTS[kind];
        const values = new Float32Array(bytes.slice(at, at + size).buffer);
        log.push({ step, kind, values: Array.from(values) });
        at += size;
    }
    return log;
}

/** What stands after the # of an address. */
export function encodeLink(settings, log) {
    const words = new URLSearchParams(Object.entries(settings));
    if (log.length) words.set('log', encodeLog(log));
    return words.toString();
}

/**
 * { settings, log, stop } of an address; what it lacks, or has wrong, is as the preset has it. `stop`: pauses
 * after that step.
 */
export function decodeLink(text) {
    const words = new URLSearchParams(text.replace(/^#/, ''));
    const preset = words.get('preset') in presets ? words.get('preset') : 'ring';
    const settings = settingsOf(preset);
    for (const [name, value] of words) {
        if (name !== 'preset' && name in settings && Number.isFinite(Number(value))) settings[name] = Number(value);
    }
    settings.tracers = Math.min(Math.max(Math.round(settings.tracers), 1), MOST_TRACERS);
    return { settings, log: readLog(words.get('log')), stop: Number(words.get('stop')) || 0 };
}

/** A link that was cut is played as far as it goes: not at all. */
function readLog(text) {
    try {
        return text ? decodeLog(text) : [];
    } catch {
        return [];
    }
}
