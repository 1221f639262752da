// Opens pages in Debian's chromium, without a screen and with WebGL2 in software.
import { chromium } from 'playwright-core';

export async function openBrowser() {
    const args = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update',
        '--disable-sync', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'];
    return chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', headless: true, args });
}

/** A page, and `errors`, in which its errors are collected. `first`: a script that runs before its own. */
export async function openPage(browser, address, size = { width: 1100, height: 700 }, first = '') {
    const page = await browser.newPage({ viewport: size });
    const errors = [];
    page.on('pageerror', (error) => errors.push(String(error)));
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
    await page.addInitScript(first);
    await page.goto(address);
    return { page, errors };
}

/** The numbers of the stats panel, by their names. */
export function numbersOf(page) {
    return page.evaluate(() => {
        const [names, values] = ['dt', 'dd'].map((tag) => Array.from(document.querySelectorAll(`#numbers ${tag}`), (one) => one.textContent));
        return Object.fromEntries(names.map((name, i) => [name, values[i]]));
    });
}

/** Waits until the page shows so many steps. */
export async function waitForStep(page, step, timeout = 90000) {
    await page.waitForFunction((wanted) => Number(document.querySelector('#numbers dd')?.textContent) >= wanted, step, { timeout });
}
