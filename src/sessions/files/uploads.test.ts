import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { SessionDirectories } from './session-directories.js'
import { openDownload, safeName, storeUpload } from './uploads.js'

const LIMITS = { uploadMaxMb: 1, downloadMaxMb: 1, quotaMb: 2 }
const text = (value: string) => new TextEncoder().encode(value)

let root: string
let directories: SessionDirectories
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'signalbox-files-')))
  for (const name of ['project', 'project-other', 'data']) mkdirSync(join(root, name))
  directories = {
    uploads: join(root, 'data', 'uploads', 'ses_1'),
    project: join(root, 'project'),
    own: [join(root, 'data')],
  }
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

async function read(path: string): Promise<string> {
  const { handle } = await openDownload(directories, path, LIMITS)
  const content = await handle.readFile('utf8')
  await handle.close()
  return content
}

describe('an upload', () => {
  test('is stored in the session’s folder, readable by the owner only, with its real type', async () => {
    const stored = await storeUpload(
      directories,
      { name: 'shot.txt', bytes: Buffer.from('89504e470d0a1a0a00', 'hex') },
      LIMITS,
    )
    expect(stored).toMatchObject({ path: join(directories.uploads, 'shot.txt'), type: 'image/png', bytes: 9 })
    expect(statSync(directories.uploads).mode & 0o777).toBe(0o700)
    expect(statSync(stored.path).mode & 0o777).toBe(0o600)
  })

  test('does not replace another upload', async () => {
    const names = []
    for (const content of ['a', 'b', 'c'])
      names.push((await storeUpload(directories, { name: 'n.tar.gz', bytes: text(content) }, LIMITS)).name)
    expect(names).toEqual(['n.tar.gz', 'n.tar_1.gz', 'n.tar_2.gz'])
    expect(readFileSync(join(directories.uploads, 'n.tar.gz'), 'utf8')).toBe('a')
  })

  test('has a size limit per file and for all files', async () => {
    const bytes = new Uint8Array(1024 * 1024)
    await expect(
      storeUpload(directories, { name: 'a', bytes: new Uint8Array(bytes.length + 1) }, LIMITS),
    ).rejects.toMatchObject({ code: 'E_TOO_LARGE' })
    await storeUpload(directories, { name: 'a', bytes }, LIMITS)
    await storeUpload(directories, { name: 'b', bytes }, LIMITS)
    await expect(storeUpload(directories, { name: 'c', bytes: text('x') }, LIMITS)).rejects.toMatchObject({
      code: 'E_TOO_LARGE',
    })
    expect(readdirSync(directories.uploads)).toEqual(['a', 'b'])
  })

  test.each([
    ['../../etc/passwd', 'passwd'],
    ['C:\\dir\\evil.exe', 'evil.exe'],
    ['.bashrc', '_bashrc'],
    ['..', 'file'],
    ['a:b\u0000c\u001b[31m.txt', 'a_b_c_[31m.txt'],
    ['', 'file'],
    ['ünï cödé.md', 'ünï cödé.md'],
  ])('%j is stored as %j', (given, expected) => {
    expect(safeName(given)).toBe(expected)
  })

  test('stays in its folder and keeps its extension, whatever its name', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), name => {
        const safe = safeName(`${name}.png`)
        expect(safe).not.toMatch(/[/\\:\p{Cc}]/u)
        expect(safe).not.toMatch(/^\./u)
        expect(Buffer.byteLength(safe)).toBeLessThanOrEqual(120)
        expect(join('/base', safe).startsWith('/base/')).toBe(true)
      }),
    )
  })
})

describe('a download', () => {
  test('may be a file of the project or an upload of the session', async () => {
    mkdirSync(join(root, 'project', 'docs'))
    writeFileSync(join(root, 'project', 'docs', 'a.md'), 'doc')
    await storeUpload(directories, { name: '.env', bytes: text('mine') }, LIMITS)
    expect(await read('docs/a.md')).toBe('doc')
    expect(await read(join(root, 'project', 'docs', '..', 'docs', 'a.md'))).toBe('doc')
    expect(await read(join(directories.uploads, '_env'))).toBe('mine')
  })

  test('follows a link inside the project and refuses one that leads outside', async () => {
    writeFileSync(join(root, 'project', 'real.txt'), 'in')
    writeFileSync(join(root, 'project-other', 'x.txt'), 'out')
    symlinkSync('real.txt', join(root, 'project', 'in.txt'))
    symlinkSync('../project-other/x.txt', join(root, 'project', 'out.txt'))
    symlinkSync('../project-other', join(root, 'project', 'dir'))
    expect(await read('in.txt')).toBe('in')
    await expect(read('out.txt')).rejects.toMatchObject({ code: 'E_ROLE' })
    await expect(read('dir/x.txt')).rejects.toMatchObject({ code: 'E_ROLE' })
  })

  test('is refused from a directory whose name starts like the project’s', async () => {
    writeFileSync(join(root, 'project-other', 'x.txt'), 'out')
    await expect(read(join(root, 'project-other', 'x.txt'))).rejects.toMatchObject({ code: 'E_ROLE' })
    await expect(read('../project-other/x.txt')).rejects.toMatchObject({ code: 'E_ROLE' })
  })

  test.each([
    '.env',
    '.env.local',
    'server.pem',
    'ID_RSA',
    '.git/config',
    '.ssh/known_hosts',
    'credentials.json',
    'my-service-account-1.json',
    '.netrc',
  ])('%s is refused', async name => {
    const path = join(root, 'project', name)
    mkdirSync(join(path, '..'), { recursive: true })
    writeFileSync(path, 'secret')
    await expect(read(name)).rejects.toMatchObject({ code: 'E_ROLE' })
    symlinkSync(path, join(root, 'project', 'harmless.txt'))
    await expect(read('harmless.txt')).rejects.toMatchObject({ code: 'E_ROLE' })
  })

  test('is refused for Signalbox’s own files, special files and large files', async () => {
    writeFileSync(join(root, 'data', 'signalbox.db'), 'x')
    symlinkSync(join(root, 'data', 'signalbox.db'), join(root, 'project', 'db'))
    mkdirSync(join(root, 'project', 'folder'))
    writeFileSync(join(root, 'project', 'big'), new Uint8Array(1024 * 1024 + 1))
    await expect(read('db')).rejects.toMatchObject({ code: 'E_ROLE' })
    await expect(read('folder')).rejects.toMatchObject({ code: 'E_ROLE' })
    await expect(read('big')).rejects.toMatchObject({ code: 'E_TOO_LARGE' })
    await expect(read('none')).rejects.toMatchObject({ code: 'E_UNKNOWN' })
    await expect(read('a\u0000b')).rejects.toMatchObject({ code: 'E_INPUT' })
  })

  test('does not leave the project when a link replaces a directory', async () => {
    mkdirSync(join(root, 'project', 'd'))
    writeFileSync(join(root, 'project', 'd', 'x.txt'), 'in')
    writeFileSync(join(root, 'project-other', 'x.txt'), 'out')
    symlinkSync('../project-other', join(root, 'link'))
    let isOver = false
    const swap = async () => {
      while (!isOver) {
        renameSync(join(root, 'project', 'd'), join(root, 'held'))
        symlinkSync('../project-other', join(root, 'project', 'd'))
        await new Promise(resolve => setImmediate(resolve))
        rmSync(join(root, 'project', 'd'))
        renameSync(join(root, 'held'), join(root, 'project', 'd'))
        await new Promise(resolve => setImmediate(resolve))
      }
    }
    const swapping = swap()
    const seen = new Set<string>()
    for (let round = 0; round < 300; round++)
      seen.add(await read('d/x.txt').catch(error => (error as { code: string }).code))
    isOver = true
    await swapping
    expect(seen).not.toContain('out')
  })
})
