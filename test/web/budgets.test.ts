import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { ROOT } from '../e2e/harness.js'

const web = join(ROOT, 'dist', 'web')
const KB = 1024

function zipped(file: string): number {
  return gzipSync(readFileSync(join(web, file)), { level: 9 }).length
}

/**
 * The files that a browser loads for a page without a terminal or a plot: the page, and the files
 * that it references.
 */
function firstLoad(): string[] {
  const page = readFileSync(join(web, 'index.html'), 'utf8')
  const files = [...page.matchAll(/(?:src|href)="\/([^"]+)"/g)].map(([, name]) => name!)
  return ['index.html', ...new Set(files)]
}

describe('the build of the dashboard', () => {
  it('stays below its size limits, with and without a terminal', () => {
    const first = firstLoad()
    const scripts = first.filter(file => file.endsWith('.js')).reduce((sum, file) => sum + zipped(file), 0)
    const all = first.reduce((sum, file) => sum + zipped(file), 0)
    const terminal = readdirSync(join(web, 'assets'))
      .filter(file => /^(xterm|session)-/.test(file))
      .reduce((sum, file) => sum + zipped(join('assets', file)), 0)
    expect(scripts, 'script of the first page, gzip').toBeLessThan(120 * KB)
    expect(all, 'first load without a terminal, gzip').toBeLessThan(160 * KB)
    expect(all + terminal, 'first load with a terminal, gzip').toBeLessThan(400 * KB)
  })

  it('has no inline script, references no other server, and contains the licence notices', () => {
    const page = readFileSync(join(web, 'index.html'), 'utf8')
    expect(page).not.toMatch(/<script(?![^>]*\bsrc=)/)
    expect(page).not.toMatch(/(?:src|href)="(?:https?:)?\/\//)
    const styles = readdirSync(join(web, 'assets')).filter(file => file.endsWith('.css'))
    for (const file of styles)
      expect(readFileSync(join(web, 'assets', file), 'utf8')).not.toMatch(/url\(\s*["']?(?:https?:)?\/\//)
    expect(existsSync(join(web, 'LICENSES.txt'))).toBe(true)
    expect(readFileSync(join(web, 'LICENSES.txt'), 'utf8')).toContain('preact')
  })
})
