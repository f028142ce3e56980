// Defined in TrendyModels, so that the tests of packages on which this one depends can use it.
@_exported public import struct TrendyModels.SeededGenerator
