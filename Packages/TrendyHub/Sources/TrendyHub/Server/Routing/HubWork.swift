/// What a request to the record comes to, as a value: whoever asked decides on which thread it is carried out.
enum HubWork: Sendable {
  case read(@Sendable (any HubReading) throws -> HTTPResponse)
  /// The hub's life is noted in the person's list before.
  case write(@Sendable (any HubTransaction) throws -> HTTPResponse)
}
