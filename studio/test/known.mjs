// ../native.json: the native hashes with which the page compares its own.
import { readFileSync, writeFileSync } from 'node:fs';

function read(path) {
    try {
        return readFileSync(path, 'utf8');
    } catch {
        return '';
    }
}

/**
 * Stores the hashes of `scenes`, by preset, if all comparisons found the same bits: `results` are { isSame }.
 * A file with other hashes is replaced only if `isAllowed`. Returns the reason for not storing, or null.
 */
export function keepHashes(path, every, build, scenes, results, isAllowed) {
    const different = results.filter(({ isSame }) => !isSame).length;
    if (!results.length || different) return `${different} of ${results.length} scenes have different bits: the file stays as it was`;
    const text = `${JSON.stringify({ build, every, presets: scenes }, null, 4)}\n`;
    if (text === read(path)) return null;
    if (!isAllowed) return 'the bits of the library have changed; if they may: VORTON_BLESS=1 writes the file, and it is committed';
    writeFileSync(path, text);
    return null;
}
