import { describe, expect, test } from 'vitest'
import { type PtyExit, type PtyOptions, type PtyProcess, spawnPty } from './index.js'

interface Run {
  pty: PtyProcess
  output: Buffer[]
  exit: Promise<PtyExit>
}

function run(script: string, options: Partial<PtyOptions> = {}): Run {
  const output: Buffer[] = []
  let pty: PtyProcess | undefined
  const exit = new Promise<PtyExit>(resolve => {
    const env = { PATH: process.env.PATH! }
    pty = spawnPty({
      file: '/bin/sh',
      args: ['-c', script],
      cwd: '/',
      env,
      cols: 80,
      rows: 24,
      onOutput: bytes => output.push(Buffer.from(bytes)),
      onExit: resolve,
      ...options,
    })
  })
  return { pty: pty!, output, exit }
}

const textOf = ({ output }: Run) => Buffer.concat(output).toString('latin1')

describe('a program on a terminal', () => {
  test('delivers its final output before its exit, also while the process was busy', async () => {
    const runs = Array.from({ length: 10 }, () => run('stty raw; head -c 20000 /dev/zero | tr "\\0" z; printf END'))
    const busyUntil = performance.now() + 500
    while (performance.now() < busyUntil);
    for (const one of runs) {
      expect(await one.exit).toEqual({ code: 0, signal: null })
      expect(textOf(one)).toBe(`${'z'.repeat(20_000)}END`)
    }
  })

  test('receives bytes unchanged, valid text or not', async () => {
    const one = run('stty raw -echo; printf "\\377\\300\\200"')
    await one.exit
    expect(Buffer.concat(one.output)).toEqual(Buffer.from([0xff, 0xc0, 0x80]))
  })

  test('has its own session, so that a signal reaches all of its processes', async () => {
    const one = run('ps -o pid=,pgid=,sid= -p $$; kill -INT -$$; sleep 1000')
    expect((await one.exit).signal).toBe('SIGINT')
    expect(textOf(one).trim().split(/\s+/).slice(0, 3)).toEqual(Array(3).fill(String(one.pty.pid)))
  })

  test('that has ended can be signalled safely', async () => {
    const one = run('exit 0')
    await one.exit
    expect(() => one.pty.signal('SIGTERM')).not.toThrow()
  })
})
