import { z } from 'zod'
import type { PlanReport } from './validate-plan.js'

const sidecar = z.object({
  goal: z.string(),
  architecture_summary: z.string().optional(),
  tech_stack: z.array(z.string()).optional(),
  tasks: z.array(
    z.object({
      number: z.union([z.string(), z.number()]),
      title: z.string(),
      files_to_create: z.array(z.string()),
      files_to_modify: z.array(z.string()),
      steps: z.array(z.unknown()).min(1),
    }),
  ),
})

/** `<plan>.json` next to a plan, used if it has as many tasks as the plan. */
export function withSidecar(report: PlanReport, text: string | null): { report: PlanReport; notice: string | null } {
  if (text === null) return { report, notice: null }
  const read = parse(text)
  if (!read)
    return {
      report,
      notice: 'the structured plan (.json) next to the plan does not have the expected form; it was ignored',
    }
  if (read.tasks.length !== report.titles.length)
    return {
      report,
      notice: `the structured plan has ${read.tasks.length} tasks and the plan has ${report.titles.length}; it was ignored`,
    }
  const files = read.tasks.flatMap(task => [...task.files_to_create, ...task.files_to_modify])
  return {
    report: {
      ...report,
      titles: read.tasks.map((task, index) => task.title.trim() || report.titles[index]!),
      keyFiles: [...new Set([...report.keyFiles, ...files])],
    },
    notice: null,
  }
}

function parse(text: string) {
  try {
    const result = sidecar.safeParse(JSON.parse(text))
    return result.success ? result.data : null
  } catch {
    return null
  }
}
