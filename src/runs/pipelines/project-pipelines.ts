import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { AttributeReader, GRAPH_ATTRIBUTES, parseDot, textOf } from '../../graph/index.js'
import type { PipelineMetadata } from '../../pipelines/index.js'

/** A pipeline that a project registers by a file. It runs once the person trusts the file. */
export interface ProjectPipeline extends PipelineMetadata {
  /** The DOT file. */
  file: string
  /** The inputs that it needs. */
  inputs: readonly string[]
}

/** Where a project registers pipelines: `<name>.dot`, relative to its root. */
const PROJECT_PIPELINES = '.signalbox/pipelines'

/**
 * The pipelines that a project registers, by name. A file that cannot be parsed has no description.
 */
export function projectPipelines(root: string): ProjectPipeline[] {
  const directory = join(root, PROJECT_PIPELINES)
  if (!existsSync(directory)) return []
  return readdirSync(directory)
    .filter(file => /^[A-Za-z][\w-]*\.dot$/.test(file))
    .sort()
    .map(file => describe(join(directory, file), file.slice(0, -'.dot'.length)))
}

export function projectPipeline(root: string, name: string): ProjectPipeline | null {
  return projectPipelines(root).find(pipeline => pipeline.name === name) ?? null
}

function describe(file: string, name: string): ProjectPipeline {
  const { graph } = parseDot(readFileSync(file, 'utf8'))
  const { attributes } = graph
  return {
    name,
    displayName: textOf(attributes, 'label') || name,
    description: textOf(attributes, 'goal') ?? '',
    file,
    inputs: new AttributeReader(attributes, GRAPH_ATTRIBUTES).names('inputs'),
  }
}
