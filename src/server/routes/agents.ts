import { agentNames, loadAgent, storedConversations } from '../../agents/index.js'
import { type Route, route } from '../route.js'
import { agentList, conversationList } from '../schemas/agents.js'
import { answer } from '../schemas/common.js'

export const agentRoutes: readonly Route[] = [
  route({
    id: 'agents.list',
    method: 'GET',
    path: '/agents',
    summary: 'The agents that Signalbox knows: whether each is installed, and how to install it.',
    access: 'viewer',
    answers: { 200: answer('installed ones first', agentList) },
    handle: async ({ parts, json }) => {
      const { settings } = parts.home()
      const all = await Promise.all(agentNames().map(loadAgent))
      const items = all
        // An agent without a program of its own has no terminal.
        .filter(({ programs }) => programs.length > 0)
        .map(agent => {
          const configuredCommand = settings.commands?.[agent.name] ?? null
          const { found } = agent.locate({ env: parts.env, cwd: '/', configuredCommand })
          return { name: agent.name, title: agent.title, isInstalled: found, install: agent.install }
        })
      return json({ items: items.sort((a, b) => Number(b.isInstalled) - Number(a.isInstalled)) })
    },
  }),
  route({
    id: 'conversations.list',
    method: 'GET',
    path: '/conversations',
    summary: 'Conversations that agents have on disk; to continue one, start a session with `resume`.',
    access: 'approver',
    answers: { 200: answer('newest first', conversationList) },
    handle: async ({ host, parts, json }) => {
      const running = (await host.records()).filter(({ id }) => host.isRunning(id))
      const items = storedConversations(parts.env).map(conversation => {
        const session = running.find(({ agentSessionId }) => agentSessionId === conversation.id)?.id
        return { ...conversation, ...(session !== undefined && { session }) }
      })
      return json({ items })
    },
  }),
]
