import type { AgentList } from '../api/types'
import { getJson } from '../transport/request'
import { useLoad } from '../ui/use-load'

/** The agents that Signalbox knows, installed ones first. */
export function useAgents() {
  const { value, error, reload } = useLoad('agents', signal => getJson<AgentList>('/agents', { signal }))
  const all = value?.items ?? []
  const installed = all.filter(({ isInstalled }) => isInstalled)
  return {
    isLoaded: value !== null,
    error,
    reload,
    all,
    installed,
    missing: all.filter(({ isInstalled }) => !isInstalled),
    /** The agent that is selected first: the first one that is not the demonstration. */
    first: installed.find(({ name }) => name !== 'demo') ?? installed[0],
  }
}
