# CTest reads this file after the discovered tests.

# All tests share one display, and a display has one clipboard. X11 rejects a copy if its time stamp is older than that of a copy by another
# process. Therefore the tests that copy run one at a time.
set_tests_properties(
  ExportsWindow.CopiesTheCommandOfTheSelection
  ExportsWindow.ALayerRowHasAMenuThatCopiesItsCommand
  ExportsWindow.AKernelMapAndTheStatisticsAlsoHaveAMenuThatCopiesTheirCommand
  ExportsWindow.ALineOfSummaryHasAMenuThatCopiesItsNumberAndCommand
  ExportsWindow.CopyPutsAPictureOnTheClipboard
  SurveyWindow.ItsMenuHasTheCommandOfTheFolderAndNotOfTheFrame
  LessonClassroomTest.EveryStepHasALinkThatOpensIt
  WindowTablesTest.EveryChartOfARunIsATableWithTheSameNumbers
  LayersTest.TheNameOfTheChosenLayerIsCopied
  PROPERTIES RESOURCE_LOCK clipboard)

# Unlike the other tests of their programs, these tests need OpenGL, because they look at the 3D view or click into it.
set_tests_properties(
  NetworkFilesTest.AVoxelFileIsShownInCellsAndAScanInMetres
  LessonDiagramsTest.TheOutputsOfAMatrixHideTheNeighboursOfTheVoxel
  LessonRunsTest.DiagramsAreBelowTheViewOnTheirPagesOnly
  Scenes/DensityQuestionsTest.AreAnsweredByAClickALassoAndAKey/street
  Scenes/DensityQuestionsTest.AreAnsweredByAClickALassoAndAKey/random
  PROPERTIES ENVIRONMENT_MODIFICATION QT_XCB_GL_INTEGRATION=unset:)
