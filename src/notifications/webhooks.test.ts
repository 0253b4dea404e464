import { describe, expect, test } from 'vitest'
import type { PaneNotification } from './notification.js'
import { parseWebhook, webhookRequest } from './webhooks.js'

const NOTICE: PaneNotification = {
  kind: 'needs-you',
  pane: 'ses_1',
  title: 'claude needs you',
  body: 'shop · 1@here · <!channel> run it?',
  at: 1,
  project: 'shop',
  agent: 'claude',
  url: '/a/apr_1',
  approval: 'apr_1',
}
const LINK = 'https://box.example/a/apr_1'

describe('a webhook', () => {
  test.each([
    ['https://hooks.slack.com/services/T/B/x', 'slack'],
    ['https://discord.com/api/webhooks/1/x', 'discord'],
    ['https://ntfy.sh/topic', 'ntfy'],
    ['ntfy+https://push.example/topic', 'ntfy'],
    ['https://example.com/hook', 'webhook'],
  ])('has for the address %s the kind %s', (url, service) => {
    expect(parseWebhook(url)).toEqual({ service, url: url.replace(/^\w+\+/, '') })
  })

  test('mentions no user on Slack and Discord', () => {
    expect(JSON.parse(webhookRequest('slack', NOTICE, LINK).body)).toEqual({
      text: `claude needs you\nshop · 1@here · &lt;!channel&gt; run it?\n${LINK}`,
    })
    expect(JSON.parse(webhookRequest('discord', NOTICE, null).body)).toMatchObject({ allowed_mentions: { parse: [] } })
  })

  test('has title, priority and link on ntfy, also for titles beyond Latin-1', () => {
    const { headers, body } = webhookRequest('ntfy', { ...NOTICE, title: '✓ fertig' }, LINK)
    expect(headers).toMatchObject({ priority: 'high', click: LINK })
    expect(headers.title).toMatch(/^=\?UTF-8\?B\?/)
    expect(body).toBe(NOTICE.body)
  })

  test('sends everything as JSON to a program', () => {
    expect(JSON.parse(webhookRequest('webhook', NOTICE, LINK).body)).toEqual({ ...NOTICE, link: LINK })
  })
})
