// Serves the page's folder on this machine, for tests.
import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('..', import.meta.url));
const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.json': 'application/json', '.wasm': 'application/wasm' };

async function answer(request, response, changed) {
    const path = normalize(decodeURIComponent(new URL(request.url, 'http://here').pathname));
    const file = join(folder, path === '/' ? 'index.html' : path);
    try {
        const bytes = path in changed ? changed[path]() : await readFile(file);
        response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream' }).end(bytes);
    } catch {
        response.writeHead(404).end();
    }
}

/**
 * Resolves to { address, close }. `changed`: by path, functions that return replacement bytes, or throw for
 * 404.
 */
export function serve(changed = {}) {
    const server = createServer((request, response) => answer(request, response, changed));
    const close = () => server.close();
    return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve({ address: `http://127.0.0.1:${server.address().port}/`, close })));
}
