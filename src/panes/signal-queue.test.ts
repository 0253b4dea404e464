import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SignalQueue } from './signal-queue.js'
import type { Signal, SignalSource } from './signals.js'

const signal = (text: string, more: Partial<Signal> = {}): Signal => {
  const [source, name] = text.split('.') as [SignalSource, string]
  return { source, name, generation: 0, t: 0, data: {}, ...more }
}

function queueOf(max: number) {
  const dropped: string[] = []
  return { queue: new SignalQueue({ max, count: reason => dropped.push(reason) }), dropped }
}

describe('SignalQueue', () => {
  it('returns signals in the order of arrival', () => {
    const { queue } = queueOf(16)
    for (const name of ['shell.command-start', 'title.working', 'shell.command-end']) queue.push(signal(name))
    expect(queue.drain().map(({ name }) => name)).toEqual(['command-start', 'working', 'command-end'])
    expect(queue.length).toBe(0)
  })

  it('merges only adjacent content updates', () => {
    const { queue, dropped } = queueOf(16)
    for (const name of ['content.update', 'content.update', 'title.working', 'content.update']) queue.push(signal(name))
    expect(queue.length).toBe(3)
    expect(dropped).toEqual(['merged'])
  })

  it('refuses unimportant signals when it is 80 % full', () => {
    const { queue, dropped } = queueOf(20)
    for (let n = 0; n < 15; n++) queue.push(signal('title.working'))
    expect(queue.push(signal('title.progress'))).toBe(true)
    expect(queue.push(signal('title.progress'))).toBe(false)
    expect(dropped).toEqual(['low_priority'])
  })

  it('drops the oldest unimportant signal first, then the oldest unprotected one, then refuses', () => {
    const { queue, dropped } = queueOf(16)
    queue.push(signal('title.progress'))
    queue.push(signal('title.working'))
    for (let n = 0; n < 14; n++) queue.push(signal('hook.turn-done'))
    queue.push(signal('title.working'))
    queue.push(signal('hook.turn-done'))
    queue.push(signal('hook.turn-done'))
    expect(dropped).toEqual(['overflow_low', 'overflow_normal', 'overflow_normal'])
    expect(queue.push(signal('title.working'))).toBe(false)
    expect(dropped.at(-1)).toBe('refused')
  })

  it('drops signals of an earlier program in the pane', () => {
    const { queue, dropped } = queueOf(16)
    queue.push(signal('hook.turn-done'))
    queue.renew(1)
    expect(queue.push(signal('hook.turn-done'))).toBe(false)
    expect(queue.push(signal('hook.turn-done', { generation: 1 }))).toBe(true)
    expect(dropped).toEqual(['stale_generation', 'stale_generation'])
  })

  it('keeps every protected signal of any flood of signals, in order', () => {
    const names = [
      'content.update',
      'title.progress',
      'title.working',
      'process.exit',
      'user.clear',
      'hook.request',
      'osc7501.blocked',
    ]
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...names), { maxLength: 400 }), flood => {
        const { queue } = queueOf(16)
        flood.forEach((name, t) => {
          queue.push(signal(name, { t }))
        })
        const isKept = (name: string) => names.indexOf(name) >= 3
        const kept = queue.drain().filter(({ source, name }) => isKept(`${source}.${name}`))
        expect(kept.map(({ t }) => t)).toEqual(flood.flatMap((name, t) => (isKept(name) ? [t] : [])))
      }),
    )
  })
})
