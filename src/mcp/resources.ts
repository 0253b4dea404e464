import { type McpServer, ResourceTemplate } from '@modelcontextprotocol/server'
import { at, type CallApi } from './api.js'

interface Listed {
  items: readonly { id: string; label?: string | null; agent?: string; title?: string }[]
}

/** Conversations, changes and recordings of sessions, and the logs of runs. */
export function addResources(server: McpServer, api: CallApi): void {
  const add = (name: string, title: string, template: string, list: string, path: (id: string) => string) =>
    server.registerResource(
      name,
      new ResourceTemplate(template, {
        list: async () => ({
          resources: ((await api('GET', `${list}?limit=50`)) as Listed).items.map(item => ({
            uri: template.replace('{id}', item.id),
            name: `${title} of ${item.label ?? item.title ?? item.agent ?? item.id}`,
            mimeType: 'application/json',
          })),
        }),
      }),
      { title, mimeType: 'application/json' },
      async (uri, { id }) => ({
        contents: [
          { uri: uri.href, mimeType: 'application/json', text: JSON.stringify(await api('GET', path(at(String(id))))) },
        ],
      }),
    )
  add(
    'conversation',
    'Conversation',
    'signalbox://sessions/{id}/conversation',
    '/sessions',
    id => `/sessions/${id}/conversation`,
  )
  add('diff', 'Uncommitted changes', 'signalbox://sessions/{id}/diff', '/sessions', id => `/sessions/${id}/diff`)
  add('recording', 'Recording', 'signalbox://sessions/{id}/recording', '/sessions', id => `/recordings/${id}/index`)
  add('run-log', 'Log', 'signalbox://runs/{id}/log', '/runs', id => `/runs/${id}/log`)
}
