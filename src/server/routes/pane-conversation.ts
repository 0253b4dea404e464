import { SignalboxError } from '../../errors/index.js'
import { type Route, route } from '../route.js'
import { answer } from '../schemas/common.js'
import { paneConversation } from '../schemas/panes.js'
import { boardOf } from './panes.js'
import { conversationOf } from './session-messages.js'

/** Of a session so many messages are told; its own operation pages through the rest. */
const NEWEST = 50

/** What the agents in panes say, whoever started them. */
export const paneConversationRoutes: readonly Route[] = [
  route({
    id: 'panes.conversation',
    method: 'GET',
    path: '/panes/:id/conversation',
    summary: 'What the agent in a pane has said, oldest first; the answer under way is provisional.',
    access: 'viewer',
    answers: {
      200: answer('the conversation; of a pane in tmux as far as its terminal has kept it', paneConversation),
    },
    handle: async ({ host, params, json }) => {
      const board = boardOf(host)
      const { id, agent, place } = board.find(params.id!)
      const talk = await board.conversationOf(id)
      const { messages, prompts } = talk ?? (await conversationOf(host, id, { before: null, limit: NEWEST }))
      if (agent === null && messages.length === 0)
        throw new SignalboxError('E_STATE', `no agent that we know runs in ${place}`, {
          next: `signalbox read ${place} --screen`,
        })
      return json({ pane: id, agent, messages, prompts })
    },
  }),
]
