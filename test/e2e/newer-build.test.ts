import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, symlinkSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ROOT, type SessionInfo } from './harness.js'
import { InsideHome } from './inside.js'

let home: InsideHome
/** The same program, built a day ago. */
let older: string

beforeAll(() => {
  home = new InsideHome()
  const copy = join(home.directory, 'older')
  mkdirSync(copy)
  for (const part of ['package.json', 'dist']) cpSync(join(ROOT, part), join(copy, part), { recursive: true })
  for (const part of ['packs', 'node_modules']) symlinkSync(join(ROOT, part), join(copy, part))
  older = join(copy, 'dist', 'cli.js')
  const yesterday = new Date(Date.now() - 24 * 60 * 60 * 1000)
  utimesSync(older, yesterday, yesterday)
})
afterAll(() => home.close())

async function byOlder<T>(...args: string[]): Promise<T> {
  // The error names a command that hangs, with its output.
  const options = { cwd: home.work, env: home.env, timeout: 240_000, killSignal: 'SIGKILL' as const }
  return JSON.parse((await promisify(execFile)(process.execPath, [older, ...args], options)).stdout) as T
}

describe('a daemon of an older build', () => {
  it('is replaced by the newer program, keeps its sessions, and does not replace the newer daemon', async () => {
    const session = await byOlder<SessionInfo>('start', 'demo', '--json', '--', '--speed', '5')
    const first = home.daemon

    const sent = await home.run(['send', session.id, 'Tell me a story', '--wait'])
    expect(sent.code).toBe(4)
    expect(sent.stderr).toContain(`pid ${first}); agents keep running`)
    expect(sent.stdout).not.toBe('')
    const second = home.daemon
    expect(second).not.toBe(first)

    const [seen] = await byOlder<SessionInfo[]>('sessions', '--json')
    expect(seen).toMatchObject({ id: session.id, pid: session.pid })
    expect((await home.ok(['sessions'])).stderr).toBe('')
    expect(home.daemon).toBe(second)
  })

  it('is not replaced if a person runs it, and the command reports that', async () => {
    await home.ok(['serve', '--stop'])
    const serving = execFile(process.execPath, [older, 'serve', '--port', '0', '--json'], {
      cwd: home.work,
      env: home.env,
    })
    const ended = new Promise<number | null>(resolve => serving.once('exit', resolve))
    let said = ''
    serving.stderr!.on('data', (text: string) => {
      said += text
    })
    const ready = new Promise<void>((resolve, reject) => {
      serving.stdout!.once('data', () => resolve())
      void ended.then(code => reject(new Error(`it ended with ${code}: ${said}`)))
    })
    await ready
    const { stderr } = await home.ok(['sessions'])
    expect(stderr).toContain(`pid ${serving.pid}) is older than this program: restart it`)
    expect(serving.exitCode).toBeNull()
    serving.kill('SIGTERM')
    expect(await ended).toBe(0)
  })
})
