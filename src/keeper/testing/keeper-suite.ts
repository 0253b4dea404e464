import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { isAlive } from '../../process/index.js'
import { readWholeRecording } from '../../terminal/recording/index.js'
import type { KeeperPort, KeptSession, SpawnRequest } from '../port.js'
import { RecordingListener } from './recording-listener.js'

export interface KeeperSetup {
  keeper: KeeperPort
  dispose(): Promise<void>
}

const RING_BYTES = 256 * 1024

/** The contract of every implementation of the keeper. */
export function describeKeeper(name: string, make: (directory: string) => Promise<KeeperSetup>): void {
  describe(name, () => {
    let directory: string
    let bench: KeeperSetup
    let keeper: KeeperPort
    let spawned: KeptSession[]
    let sessions = 0

    beforeEach(async () => {
      directory = mkdtempSync(join(tmpdir(), 'signalbox-keeper-'))
      bench = await make(directory)
      keeper = bench.keeper
      spawned = []
    })

    afterEach(async () => {
      for (const { id } of spawned) await keeper.signal(id, 'SIGKILL').catch(() => undefined)
      await bench.dispose()
      rmSync(directory, { recursive: true, force: true })
    })

    async function start(script: string, options: Partial<SpawnRequest> = {}): Promise<KeptSession> {
      const id = `ses_${sessions++}`
      const env = { PATH: process.env.PATH ?? '/usr/bin:/bin' }
      const recording = join(directory, `${id}.cast`)
      const session = await keeper.spawn({
        id,
        file: '/bin/sh',
        args: ['-c', script],
        cwd: directory,
        env,
        cols: 80,
        rows: 24,
        recording,
        ...options,
      })
      spawned.push(session)
      return session
    }

    async function listen(id: string, fromOffset = 0): Promise<RecordingListener> {
      const listener = new RecordingListener()
      expect(await keeper.attach(id, fromOffset, listener)).toMatchObject({ state: 'attached' })
      return listener
    }

    const send = (id: string, text: string) => keeper.write(id, Buffer.from(text))

    test('starts a program on a terminal of the given size, with only the given environment', async () => {
      const { id } = await start('stty size; env; pwd; echo "args: $*"', {
        cols: 91,
        rows: 33,
        env: { PATH: process.env.PATH!, ONLY: 'this' },
      })
      const listener = await listen(id)
      expect(await listener.untilExit()).toMatchObject({ code: 0, signal: null })
      expect(listener.text).toContain('33 91\r\n')
      expect(listener.text).toContain('ONLY=this\r\n')
      expect(listener.text).not.toContain('VITEST')
      expect(listener.text).toContain(directory)
    })

    test('reports each chunk with its offset and a time that never decreases', async () => {
      const { id } = await start('for i in 1 2 3 4 5; do echo line $i; read _; done')
      const listener = await listen(id)
      for (let line = 1; line <= 5; line++) {
        await listener.untilText(`line ${line}`)
        await send(id, '\n')
      }
      await listener.untilExit()
      let offset = 0
      let t = 0
      for (const item of listener.events) {
        if (item.kind !== 'output') continue
        expect(item.offset).toBe(offset)
        expect(item.t).toBeGreaterThanOrEqual(t)
        offset += item.text.length
        t = item.t
      }
      expect((await keeper.list()).find(session => session.id === id)).toMatchObject({ offset })
      expect(listener.exit!.t).toBeGreaterThanOrEqual(t)
    })

    test('records every byte, key, resize and mark, and the exit', async () => {
      const { id, recording } = await start('stty -echo; printf "\\377a\\342\\202"; read x; printf "\\254 $x"; exit 7')
      const listener = await listen(id)
      await listener.until(({ size }) => size >= 4)
      await keeper.resize(id, 100, 40)
      await keeper.addMarker(id, 'here')
      await send(id, 'word\n')
      await listener.untilExit()
      const { events, header, truncated } = await readWholeRecording(recording)
      expect(header).toMatchObject({ cols: 80, rows: 24 })
      expect(truncated).toBe(false)
      expect(Buffer.concat(events.flatMap(event => (event.kind === 'output' ? [event.bytes] : [])))).toEqual(
        listener.bytes,
      )
      expect(events.filter(event => event.kind !== 'output')).toMatchObject([
        { kind: 'resize', cols: 100, rows: 40 },
        { kind: 'marker', label: 'here' },
        { kind: 'input', bytes: new Uint8Array(Buffer.from('word\n')) },
        { kind: 'exit', exit: { code: 7, signal: null } },
      ])
    })

    test('delivers the complete final output of a program, in forty runs', async () => {
      const run = async () => {
        const { id } = await start('stty raw; head -c 65536 /dev/zero | tr "\\0" y; printf END')
        const listener = await listen(id)
        await listener.untilExit()
        expect(listener.bytes.length).toBe(65536 + 3)
        expect(listener.text.endsWith('yEND')).toBe(true)
      }
      for (let round = 0; round < 5; round++) await Promise.all(Array.from({ length: 8 }, run))
    })

    test('gives a late listener all output from its offset on, with the first chunk cut there', async () => {
      const { id } = await start('stty raw -echo; printf 0123456789; cat')
      const first = await listen(id)
      await first.untilText('0123456789')
      const late = await listen(id, 4)
      expect(late.text).toBe('456789')
      expect(late.firstOffset).toBe(4)
      const last = await listen(id, 10)
      expect(last.text).toBe('')
      await send(id, 'abc')
      await Promise.all([first, late, last].map(listener => listener.untilText('abc')))
      expect([first.text, late.text, last.text]).toEqual(['0123456789abc', '456789abc', 'abc'])
    })

    test('reports that a listener is behind if its bytes are no longer in memory or never existed', async () => {
      const { id } = await start(`stty raw -echo; head -c ${RING_BYTES * 2} /dev/zero | tr '\\0' x; printf END; cat`)
      const first = await listen(id)
      await first.until(({ size }) => size === RING_BYTES * 2 + 3)
      const listener = new RecordingListener()
      const behind = await keeper.attach(id, 0, listener)
      expect(behind.state).toBe('behind')
      const { oldestOffset } = behind as { oldestOffset: number }
      expect(oldestOffset).toBeGreaterThan(0)
      expect(oldestOffset).toBeLessThanOrEqual(RING_BYTES + 3)
      expect(await keeper.attach(id, oldestOffset - 1, new RecordingListener())).toEqual({
        state: 'behind',
        oldestOffset,
      })
      expect((await keeper.attach(id, RING_BYTES * 2 + 4, new RecordingListener())).state).toBe('behind')
      await send(id, 'more')
      await first.untilText('more')
      expect(listener.events).toEqual([])
      const again = await listen(id, oldestOffset)
      expect(again.bytes.equals(first.bytes.subarray(oldestOffset))).toBe(true)
    })

    test('reports a resize before the output that the program draws for it, to all listeners', async () => {
      const { id } = await start('trap "stty size" WINCH; echo ready; while :; do read _; done')
      const listener = await listen(id)
      await listener.untilText('ready')
      await keeper.resize(id, 132, 50)
      await listener.untilText('50 132')
      await keeper.resize(id, 70, 20)
      await listener.untilText('20 70')
      const late = await listen(id)
      const marks = (from: RecordingListener) =>
        from.events
          .flatMap(item =>
            item.kind === 'resized' ? [`→${item.cols}x${item.rows}`] : item.kind === 'output' ? [item.text] : [],
          )
          .join('')
      expect(marks(late)).toBe(marks(listener))
      expect(marks(listener)).toMatch(/ready\r\n→132x50[^→]*50 132\r\n→70x20[^→]*20 70\r\n/)
      expect(await keeper.list()).toMatchObject([{ id, cols: 70, rows: 20 }])
    })

    test('ignores a resize to the same size, and refuses an impossible one unchanged', async () => {
      const { id } = await start('cat')
      const listener = await listen(id)
      await keeper.resize(id, 80, 24)
      for (const [cols, rows] of [
        [0, 10],
        [10, -1],
        [10.5, 10],
        [501, 10],
        [10, Number.NaN],
      ] as const) {
        await expect(keeper.resize(id, cols, rows)).rejects.toMatchObject({ code: 'E_INPUT' })
      }
      expect(listener.events.filter(item => item.kind === 'resized')).toEqual([])
      expect(await keeper.list()).toMatchObject([{ cols: 80, rows: 24 }])
    })

    test('passes input on unchanged and in order', async () => {
      const all = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))
      const { id } = await start('stty raw -echo; printf ready; cat')
      const listener = await listen(id)
      await listener.untilText('ready')
      for (let at = 0; at < all.length; at += 7) void keeper.write(id, all.subarray(at, at + 7))
      await listener.until(({ size }) => size === 5 + 256)
      expect(listener.bytes.subarray(5)).toEqual(all)
    })

    test('accepts more input at once than a terminal buffers', async () => {
      const size = 3 * 1024 * 1024
      const { id } = await start(`stty raw -echo; printf ready; head -c ${size} | wc -c; sleep 0`)
      const listener = await listen(id)
      await listener.untilText('ready')
      await keeper.write(id, Buffer.alloc(size, 0x61))
      await listener.untilExit()
      expect(listener.text).toContain(String(size))
    })

    test('sends a signal to the whole process group, so that children end with the program', async () => {
      const { id, pid } = await start('sleep 1000 & echo child=$!.; wait')
      const listener = await listen(id)
      await listener.untilText('.\r\n')
      const child = Number(/child=(\d+)\./.exec(listener.text)![1])
      expect(isAlive(child)).toBe(true)
      await keeper.signal(id, 'SIGTERM')
      expect(await listener.untilExit()).toMatchObject({ code: null, signal: 'SIGTERM' })
      expect(isAlive(pid)).toBe(false)
      await gone(child)
    })

    test.each([
      ['exit 0', { code: 0, signal: null }],
      ['exit 137', { code: 137, signal: null }],
      ['kill -KILL $$', { code: null, signal: 'SIGKILL' }],
      ['kill -SEGV $$', { code: null, signal: 'SIGSEGV' }],
    ])('reports how a program ended: %s', async (script, exit) => {
      const { id } = await start(script)
      expect(await (await listen(id)).untilExit()).toMatchObject(exit)
    })

    test('reports the reason if a program cannot be run', async () => {
      const { id } = await start('', { file: join(directory, 'none') })
      const listener = await listen(id)
      expect((await listener.untilExit()).code).not.toBe(0)
      expect(listener.text).toContain('No such file')
    })

    test('does not lose a signal right after the start', async () => {
      for (let round = 0; round < 5; round++) {
        const { id } = await start('cat')
        await keeper.signal(id, 'SIGKILL')
        expect(await (await listen(id)).untilExit()).toMatchObject({ code: null, signal: 'SIGKILL' })
      }
    })

    test('keeps the output of an ended program until `forget`', async () => {
      const { id, recording } = await start('echo last words; exit 3')
      const exit = await (await listen(id)).untilExit()
      const late = await listen(id)
      expect(late.text).toBe('last words\r\n')
      expect(late.exit).toEqual(exit)
      expect(await keeper.list()).toMatchObject([{ id, exit }])
      await keeper.forget(id)
      expect(await keeper.list()).toEqual([])
      expect(existsSync(recording)).toBe(true)
      await expect(keeper.attach(id, 0, new RecordingListener())).rejects.toMatchObject({ code: 'E_UNKNOWN' })
    })

    test('does not forget a running program', async () => {
      const { id } = await start('cat')
      await keeper.forget(id)
      expect(await keeper.list()).toMatchObject([{ id, exit: null }])
    })

    test('refuses an unknown session with its error code', async () => {
      const unknown = { name: 'SignalboxError', code: 'E_UNKNOWN' }
      await expect(keeper.attach('ses_none', 0, new RecordingListener())).rejects.toMatchObject(unknown)
      await expect(send('ses_none', 'x')).rejects.toMatchObject(unknown)
      await expect(keeper.resize('ses_none', 10, 10)).rejects.toMatchObject(unknown)
      await expect(keeper.signal('ses_none', 'SIGTERM')).rejects.toMatchObject(unknown)
      await expect(keeper.addMarker('ses_none', 'x')).rejects.toMatchObject(unknown)
      await expect(keeper.forget('ses_none')).rejects.toMatchObject(unknown)
    })

    test('refuses a size and a signal for an ended program, and drops its input', async () => {
      const { id } = await start('exit 0')
      await (await listen(id)).untilExit()
      await expect(keeper.resize(id, 10, 10)).rejects.toMatchObject({ code: 'E_STATE' })
      await expect(keeper.signal(id, 'SIGTERM')).rejects.toMatchObject({ code: 'E_STATE' })
      await expect(send(id, 'x')).resolves.toBeUndefined()
      await expect(keeper.addMarker(id, 'x')).resolves.toBeUndefined()
    })

    test('refuses a second session with the same id, and a recording that cannot be written', async () => {
      const { id } = await start('cat')
      await expect(start('cat', { id })).rejects.toMatchObject({ name: 'SignalboxError', code: 'E_STATE' })
      await expect(start('cat', { recording: join(directory, 'no', 'such.cast') })).rejects.toMatchObject({
        name: 'SignalboxError',
      })
      await expect(start('cat', { recording: join(directory, `${id}.cast`) })).rejects.toMatchObject({
        name: 'SignalboxError',
      })
      await expect(start('cat', { cols: 0, recording: join(directory, 'size.cast') })).rejects.toMatchObject({
        code: 'E_INPUT',
      })
      expect(existsSync(join(directory, 'size.cast'))).toBe(false)
      expect(await keeper.list()).toHaveLength(1)
    })

    test('ends all programs at its deadline, and starts none until it is renewed', async () => {
      const [first, second] = [await start('exec sleep 600'), await start('exec sleep 600')]
      const listeners = [await listen(first.id), await listen(second.id)]
      expect(await keeper.setDeadline({ ms: 0, steps: [] })).toBe(true)
      for (const listener of listeners) expect(await listener.untilExit()).toMatchObject({ signal: 'SIGTERM' })
      await expect(start('true')).rejects.toMatchObject({ code: 'E_STATE' })
      await keeper.setDeadline({ ms: 600_000, steps: [] })
      const { id } = await start('echo again')
      await (await listen(id)).untilText('again')
    })

    test.each([
      { ms: Number.NaN, steps: [] },
      { ms: null as unknown as number, steps: [] },
      { ms: 0, steps: [''] },
      { ms: 0, steps: null as unknown as string[] },
    ])('sets no deadline of %j', async deadline => {
      await keeper.setDeadline(deadline).catch(error => expect(error).toMatchObject({ code: 'E_INPUT' }))
      await (await listen((await start('echo started')).id)).untilText('started')
    })

    test('sends nothing to a detached listener while another one continues', async () => {
      const { id } = await start('stty raw -echo; printf ready; cat')
      const stays = await listen(id)
      const leaves = new RecordingListener()
      const attached = await keeper.attach(id, 0, leaves)
      await Promise.all([stays.untilText('ready'), leaves.untilText('ready')])
      if (attached.state === 'attached') attached.detach()
      await send(id, 'after')
      await stays.untilText('after')
      const again = await listen(id)
      expect(again.text).toBe('readyafter')
      expect(leaves.text).toBe('ready')
    })

    test('keeps sessions separate', async () => {
      const [a, b] = await Promise.all([start('stty raw -echo; printf A; cat'), start('stty raw -echo; printf B; cat')])
      const [listenerA, listenerB] = await Promise.all([listen(a.id), listen(b.id)])
      await Promise.all([listenerA.untilText('A'), listenerB.untilText('B')])
      await Promise.all([send(a.id, 'aaa'), send(b.id, 'bbb')])
      await Promise.all([listenerA.untilText('aaa'), listenerB.untilText('bbb')])
      expect([listenerA.text, listenerB.text]).toEqual(['Aaaa', 'Bbbb'])
      expect(readFileSync(a.recording, 'utf8')).not.toContain('bbb')
    })
  })
}

/** Resolves when a process that was signalled has ended. */
async function gone(pid: number): Promise<void> {
  while (isAlive(pid)) await new Promise(resolve => setImmediate(resolve))
}
