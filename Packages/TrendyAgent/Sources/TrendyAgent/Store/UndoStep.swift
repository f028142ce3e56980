public import TrendyFoundation
public import TrendyModels

/// One thing that a person did and that can be taken back, or that was taken back and can be done again.
public struct UndoStep: Hashable, Sendable {
  /// An entity that was changed again since, or whose event type was deleted, and so was left as it is.
  public struct Left: Hashable, Sendable {
    public var kind: MutationEntityType
    public var id: String
    /// The fields that were changed since, by their names on the wire; empty where that is all of it.
    public var fields: [String]
    /// Whether it belonged to an event type that was deleted since.
    public var isTypeDeleted: Bool

    public init(kind: MutationEntityType, id: String, fields: [String] = [], isTypeDeleted: Bool = false) {
      self.kind = kind
      self.id = id
      self.fields = fields
      self.isTypeDeleted = isTypeDeleted
    }
  }

  /// What was done, in the words of the command: `split trip 0199f3c2`.
  public var label: String
  /// When it was done first.
  public var date: Date
  /// Of the import that it is; `nil` for all else. It can be taken back and not done again: the file has what it brought.
  public internal(set) var importID: String?
  /// What the step could not turn when the rest of it was taken back or done again.
  public internal(set) var left: [Left] = []
  /// Whether everything was that way already, as where another device had deleted what was recorded.
  public internal(set) var wasSoAlready = false
}

/// The last 50 things that were done, and those that were taken back, the latest last.
public struct UndoHistory: Hashable, Sendable {
  public internal(set) var done: [UndoStep] = []
  /// What can be done again: the last of them was taken back last. Doing anything else empties it.
  public internal(set) var undone: [UndoStep] = []
}

/// Why something cannot be taken back, or done again.
public enum UndoError: Error, Hashable, CustomStringConvertible {
  case nothing
  case nothingUndone
  case changedSince(label: String, left: [UndoStep.Left])
  /// Events, properties or excused days of a type that it made were recorded since.
  case inUse(label: String)

  public var description: String {
    switch self {
    case .nothing: "There is nothing to take back."
    case .nothingUndone: "There is nothing to do again."
    case .changedSince(let label, _): "'\(label)' stays as it is: what it changed was changed again since."
    case .inUse(let label): "'\(label)' stays as it is: more of that type was recorded since."
    }
  }
}
