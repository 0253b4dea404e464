import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { errorLines, recordedOutput, type SessionInfo, waitFor } from './harness.js'
import { InsideHome } from './inside.js'

let home: InsideHome
beforeEach(() => {
  home = new InsideHome()
})
afterEach(() => home.close())

const raw = (...command: string[]) => ['start', '--wait', '--raw', '--', ...command]
const plain = (...command: string[]) => ['start', '--wait', '--', ...command]
/** With an input a command is a separate process: the tests check its pipes and its exit. */
const AS_PROCESS = { input: '' }

describe('start --wait', () => {
  it('passes exact bytes with --raw, and always the exit code', async () => {
    const bytes = Buffer.from([
      0x1b, 0x5b, 0x33, 0x31, 0x6d, 0x00, 0x07, 0xff, 0xfe, 0xc3, 0x28, 0xe2, 0x82, 0xac, 0x1b, 0x5d, 0x30, 0x3b, 0x61,
      0x07,
    ])
    writeFileSync(join(home.work, 'bytes'), bytes)
    const result = await home.run(raw('cat', 'bytes'), AS_PROCESS)
    expect(result.bytes).toEqual(bytes)
    expect(result.stderr).toBe('')
    expect(result.code).toBe(0)
    expect((await home.run(plain('sh', '-c', 'exit 7'), AS_PROCESS)).code).toBe(7)
  })

  it.each([
    ['TERM', 143],
    ['KILL', 137],
    ['USR1', 138],
    ['SEGV', 139],
  ])('exits with the code of a program that SIG%s ended: %i', async (signal, code) => {
    expect((await home.run(plain('sh', '-c', `kill -${signal} $$`))).code).toBe(code)
  })

  it('prints plain text without --raw: no colours, unwrapped lines, final progress bars', async () => {
    const long = 'x'.repeat(700)
    const script = String.raw`printf '\033[31mred\033[0m\n'; printf '10%%\r50%%\r100%%\n'; printf '%s\n' "$1"; printf 'end'`
    const { stdout } = await home.ok(plain('sh', '-c', script, 'sh', long))
    expect(stdout).toBe(`red\n100%\n${long}\nend\n`)
  })

  it('passes the bytes and the end of a pipe to the program', async () => {
    const lines = Array.from({ length: 300 }, (_, index) => `line ${index}`).join('\n')
    const file = join(home.work, 'copy')
    for (const input of [`${lines}\n`, `${lines} and no newline`]) {
      const result = await home.run(raw('sh', '-c', 'stty -echo; echo ready; cat > "$1"; cksum < "$1"', 'sh', file), {
        input,
      })
      expect(result.code).toBe(0)
      const { stdout } = await home.ok(plain('cat', file))
      expect(stdout).toBe(`${input.trimEnd()}\n`)
    }
  })

  it('loses no input of a program that reads slowly', async () => {
    const text = Array.from({ length: 30_000 }, (_, index) => `${index}\n`).join('')
    const child = home.start(raw('sh', '-c', `stty raw -echo; echo ready; sleep 0.5; head -c ${text.length} | cksum`))
    const finished = home.finish(child)
    child.stdout!.once('data', () => child.stdin!.end(text))
    const expected = spawnSync('cksum', { input: text, encoding: 'utf8' }).stdout.trim()
    expect(
      (await finished).stdout
        .trim()
        .split('\n')
        .map(line => line.trim()),
    ).toEqual(['ready', expected])
  })

  it('ends with the program when standard input stays silent', async () => {
    const child = home.start(raw('sh', '-c', 'echo up; while ! [ -e go ]; do sleep 0.05; done; echo down'))
    child.stdout!.once('data', () => writeFileSync(join(home.work, 'go'), ''))
    const { stdout, code } = await home.finish(child)
    expect([stdout, code]).toEqual(['up\r\ndown\r\n', 0])
  })

  it('loses no byte of two megabytes: raw, as text, and in the recording', async () => {
    const lines = Array.from(
      { length: 40_000 },
      (_, index) => `${String(index).padStart(7, '0')} ${'abcdefghij'.repeat(4)}`,
    )
    const text = `${lines.join('\n')}\n`
    writeFileSync(join(home.work, 'big'), text)
    const hash = (value: string | Buffer) => createHash('sha256').update(value).digest('hex')
    const result = await home.run(raw('cat', 'big'), AS_PROCESS)
    expect(hash(result.stdout.replaceAll('\r\n', '\n'))).toBe(hash(text))
    const [session] = await home.json<SessionInfo[]>(['sessions', '--all', '--json'])
    expect(hash(recordedOutput(session!.recording).output)).toBe(hash(result.stdout))
    expect(hash((await home.run(plain('cat', 'big'), AS_PROCESS)).stdout)).toBe(hash(text))
  })

  it('is an ordinary session: it is listed while it runs, and ends with its exit code', async () => {
    const child = home.start(raw('sh', '-c', 'echo up; sleep 600'))
    const finished = home.finish(child)
    const live = await waitFor(
      'the session to be listed',
      async () => (await home.json<SessionInfo[]>(['sessions', '--json']))[0],
    )
    expect(live).toMatchObject({ agent: 'generic', number: 1 })
    child.kill('SIGTERM')
    expect((await finished).code).toBe(143)
    expect(await home.session(live.id)).toMatchObject({ state: 'ended', exit: { code: null, signal: 'SIGTERM' } })
  })

  it('reports a missing program in one line, exits with 7 and starts no session', async () => {
    const result = await home.run(raw('no-such-program'), AS_PROCESS)
    expect(result.code).toBe(7)
    expect(errorLines(result.stderr)).toEqual([expect.stringContaining('no-such-program was not found')])
    expect(await home.json(['sessions', '--all', '--json'])).toEqual([])
  })

  it('--raw without --wait is refused', async () => {
    const result = await home.run(['start', '--raw', '--', 'true'])
    expect([result.code, errorLines(result.stderr).length]).toEqual([2, 1])
  })
})

describe('a program that prints 64 kB and exits', () => {
  it('delivers all bytes, 12 of 12 times', async () => {
    const sizes: number[] = []
    const next = async (): Promise<void> => {
      while (sizes.length < 12) {
        const slot = sizes.push(0) - 1
        sizes[slot] = (await home.run(raw('head', '-c', '65536', '/dev/zero'))).bytes.length
      }
    }
    await Promise.all([next(), next(), next()])
    expect(sizes.filter(size => size !== 65_536)).toEqual([])
  })
})

describe('a started session', () => {
  it('gets an environment with its own id and without the secrets of Signalbox', async () => {
    const secrets = {
      SIGNALBOX_TOKEN: 'secret',
      SIGNALBOX_TELEGRAM_TOKEN: 'secret',
      SIGNALBOX_HOOK_TOKEN: 'secret',
      CLAUDECODE: '1',
      TMUX: '/tmp/x,1,0',
      MINE: 'kept',
    }
    for (const args of [plain('env'), ['start', '--json', '--', 'sh', '-c', 'env; sleep 600']]) {
      const isForeground = args.includes('--wait')
      const { stdout } = await home.ok(args, { env: secrets })
      const text = isForeground
        ? stdout
        : await waitFor('the environment', async () =>
            [(await home.ok(['read', (JSON.parse(stdout) as SessionInfo).id, '--screen'])).stdout].find(screen =>
              screen.includes('MINE='),
            ),
          )
      const names = text.split('\n').flatMap(line => /^(\w+)=/.exec(line)?.[1] ?? [])
      expect(names.filter(name => name.startsWith('SIGNALBOX_'))).toEqual(['SIGNALBOX_SESSION'])
      expect(names).not.toContain('CLAUDECODE')
      expect(names).not.toContain('TMUX')
      expect(text).not.toContain('secret')
      for (const line of [
        /^SIGNALBOX_SESSION=ses_[0-9a-z]{16}$/m,
        /^TERM=xterm-256color$/m,
        /^COLORTERM=truecolor$/m,
        /^TERM_PROGRAM=signalbox$/m,
        /^MINE=kept$/m,
        /^LANG=.*UTF-8$/m,
      ])
        expect(text).toMatch(line)
    }
  })

  it('gets each argument unchanged as one element', async () => {
    const hostile = [
      '$(touch pwned)',
      '; rm -rf x',
      '`id`',
      'it\'s "quoted"',
      '--help',
      '-rf',
      '*',
      'a b',
      '',
      '\\n',
      '$HOME',
      '--',
      'ü€',
      '%s',
    ]
    const program = 'process.stdout.write(JSON.stringify(process.argv.slice(1)))'
    const { stdout } = await home.ok([
      'start',
      '--wait',
      '--raw',
      '--',
      process.execPath,
      '-e',
      program,
      'x',
      ...hostile,
    ])
    expect(JSON.parse(stdout)).toEqual(['x', ...hostile])
    expect((await home.ok(plain('ls', '-A'))).stdout.trim()).toBe('')
  })

  it('gets no descriptors besides its terminal', async () => {
    await home.ok(['start', '--', 'sleep', '600'])
    const session = await home.startProgram('sh', '-c', 'ls /proc/self/fd | tr "\\n" " "; echo done; sleep 600')
    const screen = await waitFor('the list', async () =>
      [(await home.ok(['read', session.id, '--screen'])).stdout].find(text => text.includes('done')),
    )
    // The fourth is the directory that `ls` reads.
    expect(screen.trim()).toBe('0 1 2 3 done')
  })
})
