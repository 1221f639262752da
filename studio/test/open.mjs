// Opens pages in Debian's chromium, headless and with WebGL2 in software.
import { chromium } from 'playwright-core';

export async function openBrowser() {
    const args = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update',
        '--disable-sync', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'];
    return chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', headless: true, args });
}

/**
 * Opens a page, with its errors collected in `errors`. `first`: a script that runs before the page's
 * scripts.
 */
export async function openPage(browser, address, size = { width: 1100, height: 700 }, first = '') {
    const page = await browser.newPage({ viewport: size });
    const errors = [];
    page.on('pageerror', (error) => errors.push(String(error)));
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
    await page.addInitScript(first);
    await page.goto(address);
    return { page, errors };
}

/** Returns the numbers of the stats panel by name. */
export function numbersOf(page) {
    return page.evaluate(() => {
        const [names, values] = ['dt', 'dd'].map((tag) => Array.from(document.querySelectorAll(`#numbers ${tag}`), (one) => one.textContent));
        return Object.fromEntries(names.map((name, i) => [name, values[i]]));
    });
}

/** Waits until the page shows this many steps. */
export async function waitForStep(page, step, timeout = 90000) {
    await page.waitForFunction((wanted) => Number(document.querySelector('#numbers dd')?.textContent) >= wanted, step, { timeout });
}
