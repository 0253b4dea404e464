import type { PaneNotification } from './notification.js'

/*
 * Notifications to services by URL. The host says which service it is; `ntfy+https://…`,
 * `slack+https://…`, `discord+https://…` and `webhook+https://…` say it where the host does not.
 */

type Service = 'ntfy' | 'slack' | 'discord' | 'webhook'

export interface Webhook {
  service: Service
  url: string
}

export function parseWebhook(text: string): Webhook {
  const named = /^(ntfy|slack|discord|webhook)\+(https?:\/\/.+)$/.exec(text)
  if (named) return { service: named[1] as Service, url: named[2]! }
  const { hostname, pathname } = new URL(text)
  if (hostname === 'hooks.slack.com') return { service: 'slack', url: text }
  if (/(^|\.)discord(app)?\.com$/.test(hostname) && pathname.startsWith('/api/webhooks/'))
    return { service: 'discord', url: text }
  return { service: /^ntfy\./.test(hostname) ? 'ntfy' : 'webhook', url: text }
}

interface Sent {
  method: 'POST'
  headers: Record<string, string>
  body: string
}

/**
 * The request that a service understands. `link`: the request in the dashboard, if others can open
 * it.
 */
export function webhookRequest(service: Service, notice: PaneNotification, link: string | null): Sent {
  const json = (body: unknown): Sent => ({
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const text = `${notice.title}\n${notice.body}${link === null ? '' : `\n${link}`}`
  switch (service) {
    case 'slack':
      return json({ text: text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;') })
    case 'discord':
      // A notification mentions no user of the service, whatever the agent writes.
      return json({ content: text.slice(0, 1_900), allowed_mentions: { parse: [] } })
    case 'ntfy':
      return {
        method: 'POST',
        headers: {
          title: headerText(notice.title),
          priority: notice.kind === 'needs-you' ? 'high' : 'default',
          tags: notice.kind === 'failed' ? 'warning' : 'robot',
          ...(link !== null && { click: link }),
        },
        body: notice.body,
      }
    case 'webhook':
      return json({ ...notice, ...(link !== null && { link }) })
  }
}

/** Headers are Latin-1: other characters are encoded as RFC 2047 says, which ntfy reads. */
function headerText(text: string): string {
  const line = text.replace(/\s+/g, ' ')
  return /^[\x20-\x7e]*$/.test(line) ? line : `=?UTF-8?B?${Buffer.from(line).toString('base64')}?=`
}

const TIMEOUT_MS = 15_000

export function openWebhooks(options: {
  urls: readonly string[]
  /** The address of the dashboard, for links; null if others cannot open it. */
  dashboard: string | null
  onError(error: unknown): void
}): { count: number; send(notice: PaneNotification): void } {
  const { urls, dashboard, onError } = options
  const hooks = urls.flatMap(url => {
    try {
      return [parseWebhook(url)]
    } catch (error) {
      onError(error)
      return []
    }
  })
  return {
    count: hooks.length,
    send(notice) {
      const link = dashboard === null ? null : `${dashboard}${notice.url}`
      for (const { service, url } of hooks)
        void fetch(url, {
          ...webhookRequest(service, notice, link),
          redirect: 'manual',
          signal: AbortSignal.timeout(TIMEOUT_MS),
        })
          .then(async response => {
            await response.arrayBuffer()
            // The address is a secret: the error names only its host.
            if (!response.ok) onError(new Error(`${service} at ${new URL(url).host} answered ${response.status}`))
          })
          .catch(error => onError(new Error(`${service} at ${new URL(url).host}: ${(error as Error).message}`)))
    },
  }
}
