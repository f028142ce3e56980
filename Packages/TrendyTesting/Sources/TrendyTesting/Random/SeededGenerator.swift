// Defined in TrendyModels for the tests of packages that this package depends on.
@_exported public import struct TrendyModels.SeededGenerator
