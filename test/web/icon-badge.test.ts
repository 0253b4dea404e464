import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { ROOT } from '../e2e/harness.js'

const worker = readFileSync(join(ROOT, 'web', 'public', 'shell-worker.js'), 'utf8')

type Handler = (event: { waitUntil(promise: Promise<unknown>): void } & Record<string, unknown>) => void

/** The service worker with what it uses of a browser. */
function startWorker({ pages }: { pages: number }) {
  const handlers: Record<string, Handler> = {}
  const notices: { tag: string; options: { badge: string } }[] = []
  const badge: (number | null)[] = []
  const self = {
    addEventListener: (type: string, handler: Handler) => {
      handlers[type] = handler
    },
    registration: {
      showNotification: async (_title: string, options: { tag: string; badge: string }) => {
        notices.push({ tag: options.tag, options })
      },
      getNotifications: async () => notices,
    },
    clients: { matchAll: async () => Array.from({ length: pages }, () => ({})) },
  }
  const navigator = {
    setAppBadge: async (count: number) => void badge.push(count),
    clearAppBadge: async () => void badge.push(null),
  }
  runInNewContext(worker, { self, navigator })
  const send = async (type: string, event: Record<string, unknown>) => {
    const waits: Promise<unknown>[] = []
    handlers[type]!({ ...event, waitUntil: promise => waits.push(promise) })
    await Promise.all(waits)
  }
  const push = (tag: string) => send('push', { data: { json: () => ({ title: 'shop', body: 'npm test', tag }) } })
  return { notices, badge, push, send }
}

it('the icon of the installed app counts notifications while no page is open', async () => {
  const { notices, badge, push, send } = startWorker({ pages: 0 })
  await push('apr_1')
  await push('apr_2')
  expect(badge).toEqual([1, 2])
  // Phones draw the outline of this picture in one colour.
  expect(notices[0]!.options.badge).toBe('/badge-96.png')
  notices.length = 0
  await send('notificationclose', {})
  expect(badge.at(-1)).toBeNull()
})

it('an open page counts what needs you, not the service worker', async () => {
  const { badge, push } = startWorker({ pages: 1 })
  await push('apr_1')
  expect(badge).toEqual([])
})
