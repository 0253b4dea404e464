import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { ROOT, TestHome } from './harness.js'

let home: TestHome
beforeEach(() => {
  home = new TestHome()
})
afterEach(() => home.close())

it('the packed tarball plays the demo where it is installed', async context => {
  const npm = (args: string[], cwd: string) =>
    spawnSync('npm', args, { cwd, env: { ...process.env, npm_config_loglevel: 'error' }, encoding: 'utf8' })
  const packed = npm(['pack', '--json', '--ignore-scripts', '--pack-destination', home.directory], ROOT)
  expect(packed.status, packed.stderr).toBe(0)
  const [{ filename, files }] = JSON.parse(packed.stdout) as [{ filename: string; files: { path: string }[] }]
  const paths = files.map(({ path }) => path)
  expect(paths).toEqual(
    expect.arrayContaining([
      'package.json',
      'LICENSE',
      'dist/cli.js',
      'dist/keeper/main.js',
      'dist/demo-agent/main.js',
    ]),
  )
  expect(paths.filter(path => /\.test\.|^(src|test)\/|\/fixtures\/|\/testing\//.test(path))).toEqual([])

  const place = join(home.directory, 'elsewhere')
  mkdirSync(place)
  writeFileSync(join(place, 'package.json'), '{"name":"elsewhere","version":"1.0.0","private":true}')
  const installed = npm(
    ['install', '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund', join(home.directory, filename)],
    place,
  )
  if (
    installed.status !== 0 &&
    /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENOTCACHED|network/i.test(installed.stderr)
  ) {
    context.skip(`npm cannot reach the packages: ${installed.stderr.split('\n')[0]}`)
  }
  expect(installed.status, installed.stderr).toBe(0)
  expect(readdirSync(join(place, 'node_modules', '.bin'))).toContain('signalbox')
  const output = execFileSync('npx', ['--no-install', 'signalbox', 'demo', '--yes', '--speed', '0', '--json'], {
    cwd: place,
    env: { ...home.env, npm_config_loglevel: 'error' },
    input: '',
    encoding: 'utf8',
  })
  expect(JSON.parse(output.trimEnd().split('\n').at(-1)!)).toMatchObject({
    type: 'summary',
    outcome: 'done',
    events: { 'approval.applied': 1 },
  })
})
