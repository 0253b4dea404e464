import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { SimulatedClock, systemClock } from '../clock/index.js'
import { LivePacks, type LivePacksOptions, type PackProblem } from './live-packs.js'
import { buildPack, loadDetections, loadPack, packAgents, readSources } from './pack-files.js'
import { readFixtures } from './pack-fixtures.js'

let root: string
const directories = () => ({ shipped: join(root, 'shipped'), user: join(root, 'own') })
const put = (path: string, text: string) => {
  const file = join(root, path)
  mkdirSync(join(file, '..'), { recursive: true })
  writeFileSync(file, text)
  return file
}
const packText = (more: string, rule = 'r') =>
  `pack = 1\nagent = "x"\n${more}\n[[rule]]\nid = "${rule}"\nview = "error"\nregion = "screen"\nline = "x"\n`

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'signalbox-packs-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

describe('buildPack', () => {
  it.each([
    ['1.5.0', 'old', 1],
    ['2.1.0', 'new', 1],
    ['2.9.0', 'new', 0.9],
    ['0.1.0', 'old', 0.9],
    [null, 'new', 1],
  ])('selects for version %s the file %s, with confidence %d', async (version, rule, trust) => {
    put('shipped/x/a.toml', packText('versions = ">=1 <2"', 'old'))
    put('shipped/x/b.toml', packText('versions = ">=2 <2.2"', 'new'))
    const [shipped, own] = await readSources('x', directories())
    const pack = buildPack(shipped, own, version)
    expect([pack.rules[0]?.id, pack.trust]).toEqual([rule, trust])
  })

  it('overlays a person’s own files that match the version', async () => {
    put('shipped/x/a.toml', packText('', 'shipped'))
    put('own/x/1.toml', packText('', 'mine'))
    put('own/x/2.toml', packText('versions = "<1"', 'older'))
    const [shipped, own] = await readSources('x', directories())
    expect(buildPack(shipped, own, '1.0').rules.map(rule => rule.id)).toEqual(['shipped', 'mine'])
  })

  it('reads an agent that only the person defined, and the generic pack for an unknown one', async () => {
    put('own/y/y.toml', packText('', 'mine').replace('"x"', '"y"'))
    const [shipped, own] = await readSources('y', directories())
    expect(buildPack(shipped, own, null)).toMatchObject({ agent: 'y', rules: [{ id: 'mine' }] })
    expect(await loadPack('nobody', directories().user)).toMatchObject({ agent: 'generic', rules: [] })
  })

  it('packAgents lists every agent once with its detection, and skips broken files', async () => {
    put('shipped/x/a.toml', packText(`detect = { argv0 = ["ex"], banner = 'Ex v(?<version>\\d+)' }`))
    put('own/x/b.toml', 'broken =')
    put('own/z/z.toml', packText(''))
    expect(await packAgents(directories())).toEqual(['x', 'z'])
    expect(await loadDetections(directories())).toMatchObject([{ agent: 'x', argv0: ['ex'], title: null }])
  })
})

describe('readFixtures', () => {
  it('reads fixtures of the pack and of fixtures.toml', async () => {
    put(
      'shipped/x/a.toml',
      `fixtures = [{ cast = "a.cast", at = 1.5, expect = { view = "error", awaiting = "none" } }]\n${packText('')}`,
    )
    put(
      'shipped/x/fixtures/fixtures.toml',
      '[[fixture]]\ncast = "b.cast"\nat = 2\nexpect = { busy = true }\nknown = "too new"\n',
    )
    for (const name of ['a', 'b']) put(`shipped/x/fixtures/${name}.cast`, '')
    const fixtures = await readFixtures('x', directories())
    expect(fixtures.map(({ cast, at, expect: wanted, known }) => ({ cast, at, wanted, known }))).toEqual([
      { cast: 'a.cast', at: 1.5, wanted: { view: 'error', accept: [], awaiting: null }, known: undefined },
      { cast: 'b.cast', at: 2, wanted: { accept: [], busy: true }, known: 'too new' },
    ])
  })

  it('requires the recording to exist', async () => {
    put('shipped/x/fixtures/fixtures.toml', '[[fixture]]\ncast = "gone.cast"\nat = 2\nexpect = {}\n')
    await expect(readFixtures('x', directories())).rejects.toMatchObject({
      code: 'E_PACK',
      message: 'the fixture gone.cast does not exist',
    })
  })
})

describe('LivePacks', () => {
  const livePacks = (more: Partial<LivePacksOptions> = {}) => {
    const problems: PackProblem[] = []
    const reloaded: string[] = []
    const made = new LivePacks({
      directories: directories(),
      clock: new SimulatedClock(),
      onFailed: problem => problems.push(problem),
      onReloaded: agent => reloaded.push(agent),
      ...more,
    })
    return { packs: made, problems, reloaded }
  }

  it('finds the pack that names a program, by its last path component', async () => {
    put('own/zwarb/learned.toml', 'pack = 1\nagent = "zwarb"\nbase = "structure"\ndetect = { argv0 = ["zwarb"] }\n')
    const { packs } = livePacks()
    expect(await packs.nameFor('/usr/bin/zwarb')).toBe('zwarb')
    expect(await packs.nameFor('other')).toBeNull()
    expect((await packs.acquire('zwarb')).pack.byStructure).toBe(true)
  })

  it('starts without a person’s broken file, and reports it', async () => {
    put('shipped/x/a.toml', packText('', 'shipped'))
    put('own/x/good.toml', packText('', 'mine'))
    const file = put('own/x/bad.toml', packText('nonsense = 1'))
    const { packs, problems } = livePacks()
    const live = await packs.acquire('x')
    expect(live.pack.rules.map(rule => rule.id)).toEqual(['shipped', 'mine'])
    expect(problems).toEqual([{ agent: 'x', file, line: 3, message: 'there is no field "nonsense"' }])
  })

  it('replaces rules in place; a broken file changes nothing and is reported once', async () => {
    put('shipped/x/a.toml', packText('', 'shipped'))
    const { packs, problems, reloaded } = livePacks()
    const live = await packs.acquire('x')
    const { pack } = live
    put('own/x/mine.toml', packText('', 'mine'))
    await packs.reload()
    expect(pack.rules.map(rule => rule.id)).toEqual(['shipped', 'mine'])
    put('own/x/mine.toml', 'pack = \n')
    await packs.reload()
    await packs.reload()
    expect(pack.rules.map(rule => rule.id)).toEqual(['shipped', 'mine'])
    expect([problems.length, packs.problems().length, reloaded]).toEqual([1, 1, ['x']])
    put('own/x/mine.toml', packText('', 'other'))
    await packs.reload()
    expect(pack.rules.map(rule => rule.id)).toEqual(['shipped', 'other'])
    expect(packs.problems()).toEqual([])
    live.release()
    await packs.reload()
    expect(reloaded).toEqual(['x', 'x'])
  })

  it('switches to the file for the version once it is known', async () => {
    put('shipped/x/a.toml', packText('versions = "<2"', 'old'))
    put('shipped/x/b.toml', packText('versions = ">=2 <3"', 'new'))
    const live = await livePacks().packs.acquire('x')
    expect(await live.useVersion('1.4.0')).toEqual({ isInRange: true })
    expect([live.pack.rules[0]?.id, live.version]).toEqual(['old', '1.4.0'])
    expect(await live.useVersion('4.0.0')).toEqual({ isInRange: false })
    expect([live.pack.rules[0]?.id, live.pack.trust]).toEqual(['new', 0.9])
  })

  it('reloads when a person’s file changes', async () => {
    put('shipped/x/a.toml', packText('', 'shipped'))
    let done: (agent: string) => void = () => undefined
    const reloaded = new Promise<string>(resolve => {
      done = resolve
    })
    const { packs } = livePacks({ clock: systemClock, onReloaded: agent => done(agent) })
    const live = await packs.acquire('x')
    packs.watch()
    put('own/x/mine.toml', packText('', 'mine'))
    expect(await reloaded).toBe('x')
    packs.close()
    expect(live.pack.rules.map(rule => rule.id)).toEqual(['shipped', 'mine'])
  })
})
