public import TrendyFoundation
public import TrendyModels

/// User action that can be undone, and then redone.
public struct UndoStep: Hashable, Sendable {
  /// Entity that was skipped because it has changed since, or because its event type was deleted.
  public struct Left: Hashable, Sendable {
    /// Kind of the entity.
    public var kind: MutationEntityType
    /// Id of the entity.
    public var id: String
    /// Wire names of the fields that have changed since. Empty if the whole entity was skipped.
    public var fields: [String]
    /// Whether the event type of the entity has been deleted since.
    public var isTypeDeleted: Bool

    public init(kind: MutationEntityType, id: String, fields: [String] = [], isTypeDeleted: Bool = false) {
      self.kind = kind
      self.id = id
      self.fields = fields
      self.isTypeDeleted = isTypeDeleted
    }
  }

  /// Text of the action, as in the command: for example `split trip 0199f3c2`.
  public var label: String
  /// Time of the action.
  public var date: Date
  /// Id of the import, or `nil` if the step is not an import. An undone import cannot be redone. Instead, the file must
  /// be imported again.
  public internal(set) var importID: String?
  /// Entities that were skipped when the step was undone or redone.
  public internal(set) var left: [Left] = []
  /// Whether there was nothing to change, for example because another device had already deleted the entity.
  public internal(set) var wasSoAlready = false
}

/// The last 50 steps that can be undone, and the steps that can be redone.
public struct UndoHistory: Hashable, Sendable {
  /// Steps that can be undone, the next one last.
  public internal(set) var done: [UndoStep] = []
  /// Steps that can be redone, the next one last. Emptied by any other action.
  public internal(set) var undone: [UndoStep] = []
}

/// Reason why a step cannot be undone or redone.
public enum UndoError: Error, Hashable, CustomStringConvertible {
  /// The history contains no step to undo.
  case nothing
  /// There is no undone step to redo.
  case nothingUndone
  /// Everything that the step changed has been changed again since.
  case changedSince(label: String, left: [UndoStep.Left])
  /// Events, properties or skips have been recorded since for an event type that the step created.
  case inUse(label: String)

  /// Error message for the user.
  public var description: String {
    switch self {
    case .nothing: "Nothing to undo."
    case .nothingUndone: "Nothing to redo."
    case .changedSince(let label, _): "Skipped '\(label)': its entries have been changed since."
    case .inUse(let label): "Skipped '\(label)': its event type has been used since."
    }
  }
}
