import { z } from 'zod'

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
