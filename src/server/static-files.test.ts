import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { StaticFiles } from './static-files.js'

const directory = mkdtempSync(join(tmpdir(), 'signalbox-web-'))
beforeAll(() => {
  mkdirSync(join(directory, 'assets'))
  writeFileSync(join(directory, 'index.html'), '<!doctype html>one')
  writeFileSync(join(directory, 'assets', 'main-Ab3dE_9x.js'), 'export const x = 1\n'.repeat(100))
  writeFileSync(join(directory, 'apple-touch-icon.png'), 'png')
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

test('addresses of pages return the page, files return themselves, and an unknown file is a 404', async () => {
  const files = new StaticFiles(directory)
  for (const path of ['/', '/s/ses_1', '/runs', '/login']) {
    const answer = files.answer(path, undefined)
    expect([await answer.text(), answer.headers.get('cache-control')]).toEqual(['<!doctype html>one', 'no-cache'])
  }
  expect(files.answer('/assets/none.js', undefined).status).toBe(404)
  expect(files.answer('/apple-touch-icon.png', undefined).headers.get('content-type')).toBe('image/png')
})

test('a file with a hash in its name is cached forever, and other files are validated by their tag', () => {
  const files = new StaticFiles(directory)
  const script = files.answer('/assets/main-Ab3dE_9x.js', undefined)
  expect(script.headers.get('cache-control')).toContain('immutable')
  expect(files.answer('/apple-touch-icon.png', undefined).headers.get('cache-control')).toBe('no-cache')
  const tag = files.answer('/', undefined).headers.get('etag')!
  expect(files.answer('/', tag).status).toBe(304)
})

test('a client that accepts gzip gets gzip', async () => {
  const answer = new StaticFiles(directory).answer('/assets/main-Ab3dE_9x.js', undefined, 'br, gzip')
  expect(answer.headers.get('content-encoding')).toBe('gzip')
  const bytes = Buffer.from(await answer.arrayBuffer())
  expect(gunzipSync(bytes).toString()).toBe('export const x = 1\n'.repeat(100))
})

test('a new build is served at once, and a missing build is reported', async () => {
  const files = new StaticFiles(directory)
  files.answer('/', undefined)
  writeFileSync(join(directory, 'index.html'), '<!doctype html>two')
  utimesSync(join(directory, 'index.html'), 5, 5)
  expect(await files.answer('/', undefined).text()).toBe('<!doctype html>two')
  expect(await new StaticFiles(join(directory, 'none')).answer('/', undefined).text()).toContain('not been built')
})
