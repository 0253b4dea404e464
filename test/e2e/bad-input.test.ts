import { execFileSync, spawnSync } from 'node:child_process'
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { itNeeding } from '../support/requirements.js'
import { errorLines, isRunning, type RunOptions, recordedOutput, type SessionInfo, waitFor } from './harness.js'
import { InsideHome } from './inside.js'

let home: InsideHome
beforeEach(() => {
  home = new InsideHome()
})
afterEach(() => home.close())

/**
 * With an input a command is a separate process. Errors in the arguments are printed to stderr
 * before a command runs.
 */
const AS_PROCESS = { input: '' }

/** One line on stderr, nothing on stdout, and this exit code. */
async function expectRefusal(
  args: readonly string[],
  code: number,
  message: RegExp,
  options: RunOptions = {},
): Promise<void> {
  const result = await home.run(args, options)
  expect(errorLines(result.stderr), args.join(' ')).toEqual([expect.stringMatching(message)])
  expect([result.stdout, result.code], args.join(' ')).toEqual(['', code])
}

function writeConfig(text: string): void {
  mkdirSync(home.path('config'), { recursive: true, mode: 0o700 })
  writeFileSync(home.path('config', 'config.toml'), text)
}

async function expectNoSession(): Promise<void> {
  expect(await home.json(['sessions', '--all', '--json'])).toEqual([])
  const recordings = home.path('data', 'recordings')
  expect(existsSync(recordings) ? readdirSync(recordings) : []).toEqual([])
}

describe('a mistake on the command line', () => {
  it('prints one line with the correct use, and changes nothing', async () => {
    await expectRefusal(['strat'], 2, /unknown command 'strat'; did you mean start\?/, AS_PROCESS)
    await expectRefusal(['stop'], 2, /missing required argument 'id'/, AS_PROCESS)
    await expectRefusal(['files', 'steal'], 2, /unknown action "steal" \(use put, get\)/, AS_PROCESS)
    await expectRefusal(['approve', '--yes'], 2, /unknown option '--yes' \(a script gives --fingerprint/, AS_PROCESS)
    await expectRefusal(['sessions', '--al'], 2, /unknown option '--al'; did you mean --all\?/, AS_PROCESS)
    await expectRefusal(['wait', '1', '--for', 'lunch'], 2, /idle, approval, done/, AS_PROCESS)
    await expectRefusal(['wait', '1', '--timeout', 'soon'], 2, /--timeout takes a number of seconds, not "soon"/)
    await expectRefusal(['start'], 2, /signalbox start demo/)
    await expectRefusal(['send', '1', ''], 2, /the prompt is empty/)
    await expectRefusal(['completion', 'tcsh'], 2, /bash, zsh or fish/, AS_PROCESS)
    await expectRefusal(['config', 'show', 'terminal.siez'], 2, /terminal\.size/)
    for (const size of ['0x0', '501x1', '1x501', '80', 'axb', '-1x5'])
      await expectRefusal(['start', 'demo', `--size=${size}`], 2, /invalid terminal size .*at most 500x500/)
    expect(home.processes()).toEqual({ daemons: [], keepers: [], others: [] })
  })

  it('an invalid agent, directory or session id prints one line', async () => {
    await expectRefusal(['start', 'dmo'], 2, /unknown agent "dmo"; did you mean "demo"\?/)
    await expectRefusal(
      ['start', 'demo', '--cwd', '/no/such/place'],
      2,
      /the directory \/no\/such\/place does not exist/,
    )
    writeFileSync(join(home.work, 'file'), '')
    await expectRefusal(['start', 'demo', '--cwd', 'file'], 2, /file is not a directory/)
    await expectRefusal(['start', '--', './file'], 7, /\.\/file was not found/)
    await expectRefusal(['start', '--wait', '--cwd', 'nowhere', '--', 'true'], 2, /does not exist/)
    for (const command of ['read', 'stop', 'wait']) await expectRefusal([command, '5'], 2, /unknown session "5"/)
    await expectRefusal(['send', '5', 'hello'], 2, /unknown session "5"/)
    await expectRefusal(['approve', 'apr_x', '--fingerprint', 'abcdefabcdef'], 2, /unknown request "apr_x"/)
    await expectNoSession()
  })

  it('a terminal of 1x1 or 500x200 characters causes no error', async () => {
    for (const [size, shown] of [
      ['1x1', '1 2'],
      ['500x200', '200 500'],
    ] as const) {
      const session = await home.json<SessionInfo>([
        'start',
        '--json',
        '--size',
        size,
        '--',
        'sh',
        '-c',
        'stty size; sleep 600',
      ])
      await waitFor('the program to print its size', () => recordedOutput(session.recording).output.includes(shown))
      await home.ok(['read', session.id, '--screen'])
      const demo = await home.json<SessionInfo>([
        'start',
        'demo',
        '--json',
        '--size',
        size,
        '--',
        '--scenario',
        'chat',
        '--speed',
        '0',
      ])
      await waitFor('the agent to draw', () => recordedOutput(demo.recording).output.length > 200)
      const live = await home.json<SessionInfo[]>(['sessions', '--json'])
      expect(live.map(({ id }) => id)).toEqual(expect.arrayContaining([session.id, demo.id]))
      expect((await home.json<SessionInfo>(['stop', demo.id, '--json'])).state).toBe('ended')
    }
  })
})

describe('a mistake in the settings', () => {
  it('names file, line and column, and exits 6', async () => {
    const file = home.path('config', 'config.toml')
    writeConfig('[terminal]\nsize = "120x40\n')
    for (const args of [
      ['sessions'],
      ['start', 'demo'],
      ['start', '--wait', '--', 'true'],
      ['config', 'show'],
      ['serve', '--background'],
    ]) {
      await expectRefusal(args, 6, new RegExp(`^signalbox: ${file}:2:\\d+: (?!.*${file})`))
    }
    writeConfig('[terminal]\nscrolback = 10\n')
    await expectRefusal(['sessions'], 6, new RegExp(`^signalbox: ${file}:2:1: (?!.*${file}).*scrolback.*scrollback`))
    writeConfig('[terminal]\nscrollback = "many"\n')
    await expectRefusal(['sessions'], 6, new RegExp(`${file}:2:\\d+: .*scrollback`))
    expect(home.processes()).toEqual({ daemons: [], keepers: [], others: [] })
    const doctor = await home.run(['doctor', '--json'])
    expect(doctor.code).toBe(1)
    expect(JSON.parse(doctor.stdout)).toContainEqual(
      expect.objectContaining({ check: 'config', level: 'error', message: expect.stringContaining(`${file}:2:`) }),
    )
  })

  it('valid settings cause no error: config shows each value and its source', async () => {
    writeConfig('[terminal]\nscrollback = 100\n')
    const { stdout } = await home.ok(['config', 'show', 'terminal', '--origin'])
    expect(stdout).toMatch(/scrollback.*100.*config\.toml:2/)
    expect(await home.json(['config', 'show', '--json'])).toMatchObject({ 'terminal.scrollback': 100 })
  })
})

describe('an unusable home directory', () => {
  it('is reported if a file is in the place of a directory', async () => {
    mkdirSync(home.home)
    writeFileSync(home.path('data'), 'mine')
    await expectRefusal(['sessions'], 6, /data: a file is in its place/)
    await expectRefusal(['start', '--wait', '--', 'true'], 6, /data: a file is in its place/)
    expect(readFileSync(home.path('data'), 'utf8')).toBe('mine')
  })

  it('is reported if SIGNALBOX_HOME is relative', async () => {
    await expectRefusal(['sessions'], 6, /must be an absolute path/, { env: { SIGNALBOX_HOME: 'here' } })
  })

  itNeeding('another user', 'is reported if it is read-only', async () => {
    mkdirSync(home.home, { mode: 0o555 })
    chownSync(home.directory, 65534, 65534)
    const through = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', '--']
    execFileSync('chmod', ['755', home.directory])
    await expectRefusal(['sessions'], 6, /home.*(EACCES|permission)/i, { through, cwd: '/' })
    expect(readdirSync(home.home)).toEqual([])
  })
})

describe('an unusable store', () => {
  const storeFile = () => home.path('data', 'signalbox.db')

  let made: InsideHome
  beforeAll(async () => {
    made = new InsideHome()
    await made.ok(['start', '--wait', '--', 'true'], AS_PROCESS)
    expect(statSync(made.path('data', 'signalbox.db')).size).toBeGreaterThan(4096)
  })
  afterAll(() => made.close())

  function makeStore(): void {
    mkdirSync(home.home, { mode: 0o700 })
    cpSync(made.path('data'), home.path('data'), { recursive: true })
  }

  it('is reported and kept if it is damaged, and doctor --fix moves it aside', async () => {
    makeStore()
    const bytes = readFileSync(storeFile())
    bytes.fill(0x5a, 0, 4096)
    writeFileSync(storeFile(), bytes)
    for (const args of [['sessions'], ['start', 'demo'], ['start', '--wait', '--', 'true']])
      await expectRefusal(args, 6, /signalbox\.db.* is damaged.*doctor --fix/)
    expect(readFileSync(storeFile())).toEqual(bytes)
    expect(home.processes().daemons).toEqual([])
    expect((await home.run(['doctor'])).code).toBe(1)
    const fixed = await home.run(['doctor', '--fix'])
    expect(fixed.stdout).toMatch(/! store .*moved to /)
    expect(fixed.code).toBe(0)
    await home.ok(['sessions'])
    expect(readdirSync(home.path('data')).some(name => /damaged|quarantine|corrupt/.test(name))).toBe(true)
  })

  it('is left unchanged if its version is newer, also by doctor --fix', async () => {
    makeStore()
    await withStore("UPDATE meta SET value = '9999' WHERE key = 'schema_version'")
    const before = readFileSync(storeFile())
    await expectRefusal(['sessions'], 6, /newer/)
    expect((await home.run(['doctor', '--fix'])).code).toBe(1)
    expect(readFileSync(storeFile())).toEqual(before)
  })

  it('is reported after a limited time while another process holds it, and works afterwards', async () => {
    makeStore()
    const { DatabaseSync } = await import('@photostructure/sqlite')
    const other = new DatabaseSync(storeFile())
    other.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
    const refused = (args: string[]) => expectRefusal(args, 1, /another process has locked the store/, AS_PROCESS)
    await Promise.all([refused(['start', '--wait', '--', 'true']), refused(['sessions'])])
    other.exec('ROLLBACK')
    other.close()
    await home.ok(['sessions'])
  })

  async function withStore(sql: string): Promise<void> {
    const { DatabaseSync } = await import('@photostructure/sqlite')
    const database = new DatabaseSync(storeFile())
    database.exec(sql)
    database.close()
  }
})

describe('a full disk', () => {
  // Simulated by a limit on file sizes: larger writes fail as on a full disk, for this home only.
  const limited = (kilobytes: number): string[] => [
    'bash',
    '-c',
    `trap "" XFSZ; ulimit -f ${kilobytes}; exec "$@"`,
    'limited',
  ]

  it('ends the recording but not the session, and is logged once', async () => {
    await home.ok(['serve', '--background'], { through: limited(700) })
    const session = await home.startProgram(
      'bash',
      '-c',
      'for i in $(seq 1 40000); do echo "line $i of the output"; done; echo end; read x; echo "got $x"; read y',
    )
    await waitFor('the program to be done', async () =>
      (await home.ok(['read', session.id, '--screen'])).stdout.includes('end'),
    )
    expect(isRunning(session.pid)).toBe(true)
    const failed = await waitFor('the event', () =>
      eventsOf(session.id).find(({ type }) => type === 'recording.failed'),
    )
    expect(failed.data).toMatchObject({ session: session.id, recording: session.recording, code: 'EFBIG' })

    // The next daemon has only the keeper's memory; the session stays usable.
    await home.kill(home.daemon)
    await waitFor('the screen again', async () =>
      (await home.ok(['read', session.id, '--screen'])).stdout.includes('end'),
    )
    await home.ok(['stop', session.id])
    expect(eventsOf(session.id).filter(({ type }) => type === 'recording.failed')).toHaveLength(1)
  })

  itNeeding('mount', 'refuses a session that could not be recorded from its first byte', async () => {
    await home.ok(['sessions'])
    await home.ok(['serve', '--stop'])
    const recordings = home.path('data', 'recordings')
    mkdirSync(recordings, { recursive: true, mode: 0o700 })
    expect(spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k,mode=700', 'tmpfs', recordings]).status).toBe(0)
    try {
      spawnSync('sh', ['-c', 'head -c 1000000 /dev/zero > "$0/filler"', recordings])
      await expectRefusal(['start', '--wait', '--', 'true'], 1, /cannot be written: the disk is full/)
      await expectRefusal(['start', 'demo'], 1, /cannot be written: the disk is full/)
      expect(readdirSync(recordings)).toEqual(['filler'])
      expect(await home.json(['sessions', '--all', '--json'])).toEqual([])
    } finally {
      await home.run(['serve', '--stop'])
      spawnSync('umount', [recordings])
    }
  })

  const { bavail, bsize } = statfsSync(tmpdir())
  it.skipIf(bavail * bsize > 1e12)(
    'starts no session below the free space of the settings (needs less than 1 TB of free space)',
    async () => {
      writeConfig('[store]\nmin_free_mb = 1000000\n')
      await expectRefusal(
        ['start', '--wait', '--', 'true'],
        1,
        /only \d+ MB are free .*1000000 MB \(store\.min_free_mb\)/,
      )
      await expectRefusal(['start', 'demo'], 1, /only \d+ MB are free/)
      await expectNoSession()
    },
  )

  function eventsOf(session: string): { type: string; data: Record<string, unknown> }[] {
    const sql = `select type, data from events where stream = 'session/${session}'`
    const script = `const {DatabaseSync}=require('@photostructure/sqlite');const d=new DatabaseSync(process.argv[1],{readOnly:true});console.log(JSON.stringify(d.prepare(process.argv[2]).all()))`
    const rows = JSON.parse(
      execFileSync(process.execPath, ['-e', script, home.path('data', 'signalbox.db'), sql], { encoding: 'utf8' }),
    ) as { type: string; data: string }[]
    return rows.map(({ type, data }) => ({ type, data: JSON.parse(data) as Record<string, unknown> }))
  }
})
