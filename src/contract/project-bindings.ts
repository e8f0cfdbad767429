import { z } from "zod";

const Project = z.object({ id: z.string(), logicalId: z.string(), name: z.string() });
const Binding = z.object({ project: Project, binding: z.object({ logicalId: z.string(), pending: z.boolean() }) });

/**
 * Which code projects own or use a resource. Outpost has no projects: always `noProjectBindings`. Declared because existing clients
 * read it (reference, ProjectBindingsV1).
 */
export const ProjectBindings = z
  .object({ owner: Binding.nullable(), references: z.array(Binding) })
  .describe("always without owner and references: there are no projects")
  .meta({ id: "ProjectBindings" });
export type ProjectBindings = z.infer<typeof ProjectBindings>;

export const noProjectBindings: ProjectBindings = { owner: null, references: [] };
