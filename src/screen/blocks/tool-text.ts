import type { ToolRef } from '../view.js'

/** The longest tool output that is shown completely. */
const RESULT_LINES = 12

export function toolSubject(tool: ToolRef): string {
  if (tool.command ?? tool.path ?? tool.url) return (tool.command ?? tool.path ?? tool.url)!
  return tool.summary.startsWith(tool.name) ? tool.summary.slice(tool.name.length).trim() : tool.summary
}

export function shortResult(lines: readonly string[]): string[] {
  const more = lines.length - RESULT_LINES
  return more > 0 ? [...lines.slice(0, RESULT_LINES), `… +${more} lines`] : [...lines]
}
