import { locationKeyTexts } from "../../texts/locations.ts";

const texts = locationKeyTexts.ways;

/** What somebody types to start an agent. */
export interface AgentCommands {
  readonly name: string;
  /** Where it is typed, and what it takes. */
  readonly hint: string;
  readonly lines: string;
}

interface Told {
  readonly slugName: string;
  /** Base URL of the control plane. */
  readonly apiUrl: string;
  readonly rawKey: string;
  /** Of the images. */
  readonly version: string;
}

/** The command lines for a new agent, as `docs/operations` and the chart's README have them. The key never stands in a variable of a container. */
export function agentCommands(told: Told): readonly AgentCommands[] {
  return [docker(told), compose(told), helm(told)];
}

function keyFile(rawKey: string): string {
  return `printf '%s' ${quoted(rawKey)} | sudo install -m 400 -o 65532 /dev/stdin api-key`;
}

function docker({ slugName, apiUrl, rawKey, version }: Told): AgentCommands {
  const name = `outpost-agent-${slugName}`;
  return {
    ...texts.docker,
    lines: `${keyFile(rawKey)}
docker volume create ${name}
docker run -d --name ${name} --restart unless-stopped --stop-timeout 30 \\
  --read-only --tmpfs /tmp:rw,noexec,nosuid,nodev,size=64m --cap-drop ALL --security-opt no-new-privileges \\
  --sysctl net.ipv4.ping_group_range="65532 65532" --memory 512m --log-opt max-size=10m --log-opt max-file=3 \\
  -v ${name}:/data -v "$PWD/api-key:/run/secrets/api-key:ro" \\
  -e API_URL=${quoted(apiUrl)} -e API_KEY_FILE=/run/secrets/api-key localhost/outpost/agent:${version}`,
  };
}

function compose({ apiUrl, rawKey }: Told): AgentCommands {
  return {
    ...texts.compose,
    lines: `${keyFile(rawKey)}
API_URL=${quoted(apiUrl)} API_KEY_PATH="$PWD/api-key" \\
  docker compose -f docs/operations/compose/agent.yaml up -d`,
  };
}

function helm({ slugName, apiUrl, rawKey }: Told): AgentCommands {
  const name = kubernetesName(slugName);
  const secret = `outpost-key-${name}`;
  return {
    ...texts.helm,
    lines: `kubectl create namespace outpost
kubectl -n outpost create secret generic ${secret} --from-literal=api-key=${quoted(rawKey)}
helm -n outpost install ${name} charts/agent \\
  --set apiUrl=${quoted(apiUrl.replaceAll(",", "\\,"))} --set apiKey.existingSecret.name=${secret} \\
  --set image.registry=registry.example.com`,
  };
}

/** Slugs have capitals and hyphens at their ends, names in Kubernetes have not. */
function kubernetesName(slugName: string): string {
  return slugName.toLowerCase().replace(/^-+|-+$/g, "") || "agent";
}

/** One word of a shell, whatever is in it. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
