import { SignalboxError } from '../../errors/index.js'
import { type Route, route } from '../route.js'
import { answer } from '../schemas/common.js'
import { paneConversation } from '../schemas/panes.js'
import { panesOf } from './panes.js'
import { conversationOf } from './session-messages.js'

/**
 * At most this many messages of a session are returned; `sessions.messages` pages through the rest.
 */
const NEWEST = 50

/** Conversations of the agents in panes, whether Signalbox started them or not. */
export const paneConversationRoutes: readonly Route[] = [
  route({
    id: 'panes.conversation',
    method: 'GET',
    path: '/panes/:id/conversation',
    summary: 'Messages of the agent in a pane, oldest first; the answer in progress is provisional.',
    access: 'viewer',
    answers: {
      200: answer(
        'the conversation; of a tmux pane, as much as the scrollback of its terminal contains',
        paneConversation,
      ),
    },
    handle: async ({ host, params, json }) => {
      const panes = panesOf(host)
      const { id, agent, place } = panes.find(params.id!)
      const talk = await panes.conversationOf(id)
      const { messages, prompts } = talk ?? (await conversationOf(host, id, { before: null, limit: NEWEST }))
      if (agent === null && messages.length === 0)
        throw new SignalboxError('E_STATE', `no known agent runs in ${place}`, {
          next: `signalbox read ${place} --screen`,
        })
      return json({ pane: id, agent, messages, prompts })
    },
  }),
]
