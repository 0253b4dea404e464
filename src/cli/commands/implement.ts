import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { getRun, listRuns, queuePosition } from '../../engine/index.js'
import { readIssueFile } from '../../pipelines/index.js'
import { startImplementation } from '../../runs/index.js'
import type { CommandContext } from '../context.js'
import { parsePlacement } from '../parse-options.js'
import { driveStarted, printQueued } from '../runs/drive-in-terminal.js'
import { pipelineOptions, pullOptions } from '../runs/pipeline-options.js'
import { withRuns } from '../runs/with-store.js'
import type { InputOf } from '../specs/index.js'

export async function run(context: CommandContext, { args, options }: InputOf<'implement'>): Promise<number> {
  const mayAsk = options.ask !== false && !options.json
  return withRuns(context, { mayAsk }, async start => {
    const { store } = start
    const started = await startImplementation(start, {
      issue: args.issue,
      title: options.title,
      description: options.description,
      design: options.design && readIssueFile(resolve(context.cwd, options.design), options.design),
      plan: options.plan && readPlan(context, options.plan),
      acceptsInvalidPlan: options.force,
      branch: options.branch,
      base: options.base,
      isInPlace: options.inPlace,
      allowsDirty: options.allowDirty,
      planOnly: options.planOnly,
      comment: options.comment,
      opensPull: options.pr,
      pull: pullOptions(options),
      placement: parsePlacement(options),
      ...pipelineOptions(context, options),
    })
    if (!options.detach && !options.queue) return driveStarted(context, start, started, options)
    if (!options.json) for (const notice of started.notices) context.note(notice)
    const position = queuePosition(await getRun(store, started.id), await listRuns(store))?.position ?? 1
    return printQueued(context, started.id, {
      json: options.json,
      ahead: position - 1,
      isDetached: options.detach === true,
    })
  })
}

function readPlan(context: CommandContext, file: string): string {
  return file === '-' ? readFileSync(0, 'utf8') : readIssueFile(resolve(context.cwd, file), file)
}
