import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { loadPack } from './pack-files.js'
import { changedPacks, fetchPack, installPack, readInstalled, removePack } from './pack-install.js'

const PACK = `pack = 1\nagent = "zwarb"\ndetect = { argv0 = ["zwarb"] }\n`
let home: string
let user: string

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'signalbox-packs-'))
  user = join(home, 'packs')
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

function write(name: string, text: string): string {
  const file = join(home, name)
  writeFileSync(file, text)
  return file
}

describe('a pack of another author', () => {
  test('is installed from a file, used, reported when it was changed, and removed', async () => {
    const file = await installPack(await fetchPack(write('zwarb.toml', PACK)), user)
    expect((await loadPack('zwarb', user)).detect.argv0).toEqual(['zwarb'])
    expect(await changedPacks('zwarb', user)).toEqual([])
    writeFileSync(file, `${PACK}terminator = "none"\n`)
    expect(await changedPacks('zwarb', user)).toEqual([file])
    expect(await removePack('zwarb', user)).toEqual([file])
    expect((await loadPack('zwarb', user)).agent).toBe('generic')
  })

  test('is read from a commit of a git repository without a checkout', async () => {
    const repository = join(home, 'packs.git')
    mkdirSync(repository)
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.invalid', ...args], {
        cwd: repository,
        encoding: 'utf8',
      }).trim()
    git('init', '-q', '-b', 'main')
    writeFileSync(join(repository, 'zwarb.toml'), PACK)
    git('add', '-A')
    git('commit', '-q', '-m', 'a pack')
    const pack = await fetchPack(`file://${repository}#main:zwarb.toml`)
    expect(pack).toMatchObject({ agent: 'zwarb', name: 'zwarb.toml', commit: git('rev-parse', 'HEAD') })
    await installPack(pack, user)
    expect(await readInstalled('zwarb', user)).toMatchObject([{ commit: pack.commit, sha256: pack.sha256 }])
  })

  test('is refused if it is not a pack, is too long, is a link, or has a slow pattern', async () => {
    await expect(fetchPack(write('a.toml', 'pack = 1\n'))).rejects.toThrow(/agent/)
    await expect(fetchPack(write('b.toml', `${PACK}# ${'x'.repeat(300_000)}\n`))).rejects.toThrow(/limit/)
    symlinkSync(write('c.toml', PACK), join(home, 'link.toml'))
    await expect(fetchPack(join(home, 'link.toml'))).rejects.toThrow(/not a file/)
    const slow = `${PACK}blocks = [{ kind = "user", first = '(a+)+$' }]\n`
    await expect(fetchPack(write('d.toml', slow))).rejects.toThrow()
    await expect(fetchPack('ext::sh -c id.git')).rejects.toThrow()
  })

  test('does not replace a file that a person wrote', async () => {
    mkdirSync(join(user, 'zwarb'), { recursive: true })
    const own = join(user, 'zwarb', 'zwarb.toml')
    writeFileSync(own, PACK)
    await expect(installPack(await fetchPack(write('zwarb.toml', `${PACK}#\n`)), user)).rejects.toThrow(/exists/)
    expect(readFileSync(own, 'utf8')).toBe(PACK)
  })
})
