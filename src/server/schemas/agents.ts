import { z } from 'zod'
import { moment } from './common.js'

export const agentList = z.object({
  items: z.array(
    z.object({
      name: z.string(),
      title: z.string(),
      isInstalled: z.boolean(),
      install: z.string().describe('the command that installs it, or where to get it'),
    }),
  ),
})

export const conversationList = z.object({
  items: z.array(
    z.object({
      agent: z.string(),
      id: z.string().describe('the agent’s own id: `resume` of a new session'),
      cwd: z.string(),
      prompt: z.string().describe('the beginning of its first prompt'),
      at: moment.describe('when it was last written'),
      session: z.string().optional().describe('the running session that has it open'),
    }),
  ),
})
