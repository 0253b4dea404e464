import { describe, expect, test } from 'vitest'
import { systemClock } from '../../clock/index.js'
import { isAlive } from '../../process/index.js'
import { type PtyExit, type PtyOptions, type PtyProcess, spawnPty } from './index.js'
import { OutputRate } from './output-rate.js'

interface Run {
  pty: PtyProcess
  output: Buffer[]
  exit: Promise<PtyExit>
}

function run(script: string, options: Partial<PtyOptions> = {}, rate?: OutputRate): Run {
  const output: Buffer[] = []
  let pty: PtyProcess | undefined
  const exit = new Promise<PtyExit>(resolve => {
    const env = { PATH: process.env.PATH! }
    const own: PtyOptions = {
      file: '/bin/sh',
      args: ['-c', script],
      cwd: '/',
      env,
      cols: 80,
      rows: 24,
      onOutput: bytes => output.push(Buffer.from(bytes)),
      onExit: resolve,
    }
    pty = spawnPty({ ...own, ...options }, rate)
  })
  return { pty: pty!, output, exit }
}

const textOf = ({ output }: Run) => Buffer.concat(output).toString('latin1')

describe('a program on a terminal', () => {
  test('delivers its final output before its exit if it ends while the event loop is blocked', async () => {
    const print = (size: number) => run(`stty raw; head -c ${size} /dev/zero | tr '\\0' z; printf END`)
    // The terminal holds the output of the small ones, so they end; the large ones end later.
    const small = Array.from({ length: 10 }, () => print(3_000))
    const large = Array.from({ length: 10 }, () => print(20_000))
    // Without `await`, so that the event loop finds the output and the exit of a program at once.
    const pause = new Int32Array(new SharedArrayBuffer(4))
    for (let ms = 0; ms < 60_000 && small.some(({ pty }) => isAlive(pty.pid)); ms += 5) Atomics.wait(pause, 0, 0, 5)
    for (const one of [...small, ...large]) {
      expect(await one.exit).toEqual({ code: 0, signal: null })
      expect(textOf(one)).toMatch(/^z+END$/)
    }
    for (const one of small) expect(textOf(one)).toHaveLength(3_003)
    for (const one of large) expect(textOf(one)).toHaveLength(20_003)
  })

  test('loses no output when its terminal is read at a lower rate', async () => {
    const pauses: number[] = []
    const rate = new (class extends OutputRate {
      override pauseAfter(bytes: number): number {
        pauses.push(super.pauseAfter(bytes))
        return pauses.at(-1)!
      }
    })(systemClock, { burstBytes: 10_000, bytesPerSecond: 400_000 })
    const one = run(`stty raw; head -c 200000 /dev/zero | tr '\\0' z; printf END`, {}, rate)
    expect(await one.exit).toEqual({ code: 0, signal: null })
    expect(textOf(one)).toMatch(/^z{200000}END$/)
    expect(Math.max(...pauses)).toBeGreaterThan(0)
  })

  test('receives bytes unchanged, whether they are valid text or not', async () => {
    const one = run('stty raw -echo; printf "\\377\\300\\200"')
    await one.exit
    expect(Buffer.concat(one.output)).toEqual(Buffer.from([0xff, 0xc0, 0x80]))
  })

  test('has its own session, so that a signal reaches all of its processes', async () => {
    const one = run('ps -o pid=,pgid=,sid= -p $$; kill -INT -$$; sleep 1000')
    expect((await one.exit).signal).toBe('SIGINT')
    expect(textOf(one).trim().split(/\s+/).slice(0, 3)).toEqual(Array(3).fill(String(one.pty.pid)))
  })

  test('can be signalled safely after it has ended', async () => {
    const one = run('exit 0')
    await one.exit
    expect(() => one.pty.signal('SIGTERM')).not.toThrow()
  })
})
