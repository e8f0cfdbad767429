import type { InputProblem } from "./invalid-input.ts";
import { leavesFolder, variableProblems } from "./script-problems.ts";
import { testCommand } from "./test-command.ts";

/** What a check says of its project of tests, as far as a schema cannot judge it. */
export interface WrittenSuite {
  readonly testCommand: string;
  readonly installCommand: string;
  readonly workingDir?: string | null | undefined;
  readonly environmentVariables?: readonly { readonly key: string }[] | null | undefined;
}

/** What is wrong with a suite before anybody has read its files, each with its path; empty when nothing is. */
export function suiteProblems({
  testCommand: command,
  installCommand,
  workingDir,
  environmentVariables,
}: WrittenSuite): readonly InputProblem[] {
  const read = testCommand(command);
  const folder = (workingDir ?? "").replace(/^\.\/|\/+$/g, "");
  return [
    ...("problem" in read ? [{ path: "testCommand", message: `cannot be used: ${read.problem}` }] : []),
    ...(needsShell(installCommand)
      ? [
          {
            path: "installCommand",
            message: `must be one command that needs no shell; received ${JSON.stringify(installCommand.slice(0, 200))}`,
          },
        ]
      : []),
    ...(folder !== "" && folder !== "." && leavesFolder(folder)
      ? [{ path: "workingDir", message: `must be a folder of the bundle, without ".."; received ${JSON.stringify(folder.slice(0, 200))}` }]
      : []),
    ...variableProblems(environmentVariables),
  ];
}

/** Whether a command has what only a shell understands. */
export function needsShell(command: string): boolean {
  return /[|&;<>()`$"'\\\n]/.test(command);
}
