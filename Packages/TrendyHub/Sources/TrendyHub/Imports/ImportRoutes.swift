import TrendyModels

extension ImportHandlers {
  var routes: [HubRoute] {
    [
      HubRoute(
        .get, "imports", name: "listImports",
        summary: "Files that were taken in, and those that wait; the oldest first.",
        answers: [.json(200, "the files", .list(.named("Import")))], .device(list)),
      HubRoute(
        .post, "imports", name: "beginImport",
        summary: "Says that a file is about to be sent; again with the same id, how far it has come.",
        body: .object([
          .required("id", .identifier), .required("name", .string), .required("size", .integer(1...Int64.max / 4)),
        ]), answers: [.json(201, "the file, of which nothing has come", .named("Import"))], .device(begin)),
      HubRoute(
        .get, "imports/{id}", name: "getImport", summary: "How far the hub has come with a file.",
        answers: [.json(200, "the file", .named("Import"))], .device(show)),
      HubRoute(
        .delete, "imports/{id}", name: "cancelImport", summary: "Throws a file away, or stops what is done with it.",
        answers: [.nothing("it is gone, or ends in a moment")], .device(cancel)),
      HubRoute(
        .put, "imports/{id}/content", name: "sendImportPart",
        summary: "A part of a file, at most part_bytes; one that came before is passed over.",
        query: [.init("offset", .counter, "bytes of the file before it; 0 unless told")],
        takesBytes: true, answers: [.json(200, "the file, with what has come of it", .named("Import"))],
        .device(takePart)),
      HubRoute(
        .post, "imports/{id}/preview", name: "previewImport",
        summary: "Begins to read a file that has come whole, and tells what it would bring; nothing is written.",
        body: Self.choice, answers: [.json(202, "the file", .named("Import"))], .device(preview)),
      HubRoute(
        .post, "imports/{id}/commit", name: "commitImport", summary: "Begins to take in what is in a file.",
        body: Self.choice,
        answers: [.json(202, "the file", .named("Import"))], .device(commit)),
      HubRoute(
        .post, "imports/{id}/undo", name: "undoImport",
        summary: "Begins to delete what a file brought and nobody edited since.",
        answers: [.json(202, "the file", .named("Import"))], .device(undo)),
    ]
  }

  private static let choice = HubSchema.object([
    .required("zone", .string), .optional("types", .list(.string)), .optional("date_format", .words(["dmy", "mdy"])),
    .optional("type_map", .map(.string)), .optional("other_zone", .boolean),
  ])

}

extension HubSchema {
  /// A file that is being uploaded, or an import.
  static let importFile = HubSchema.object([
    .required("id", .string), .required("source", .string), .required("state", .words(ImportJobs.Stage.words)),
    .required("started_at", .date), .optional("size", .counter), .optional("received", .counter),
    .optional("read", .counter), .optional("part_bytes", .counter), .optional("preview", ImportSummary.schema),
    .optional("result", ImportSummary.schema), .optional("problem", .problem), .optional("removed", .counter),
    .optional("left", .counter),
    .required(
      "import",
      .nullable(
        .object([
          .required("format", .string), .required("finished_at", .nullable(.date)),
          .required("undone_at", .nullable(.date)), .required("made", .map(.counter)),
        ]))),
  ])
}
